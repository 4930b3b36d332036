attributes #0 = { nounwind willreturn nofree nosync mustprogress memory(none) }
attributes #1 = { nounwind willreturn nofree nosync mustprogress memory(none) "enzyme_inactive" }
attributes #2 = { alwaysinline nounwind willreturn nofree nosync mustprogress memory(none) }
attributes #3 = { nounwind willreturn memory(none) "enzyme_inactive" }
attributes #4 = { "enzyme_math"="fmod{f}" }
