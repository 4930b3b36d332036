//! Memory as bytes: which may be the same one, and what the addresses in them point to.
//!
//! A unification that keeps offsets, as in Lattner's data structure analysis: an object is memory of
//! one origin, its bytes are told apart by their offset, in arrays by the offset in an element. Two
//! bytes that may be one are merged, and so is what they point to.

use std::collections::BTreeMap;

use super::kinds::Kinds;

/// A byte of memory or of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Byte(pub(super) u32);

/// A place in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) object: u32,
    pub(super) offset: i64,
}

impl Place {
    pub(super) fn at(self, distance: i64) -> Place {
        Place { offset: self.offset.wrapping_add(distance), ..self }
    }
}

#[derive(Debug, Clone, Copy)]
struct ByteData {
    /// Itself, or another one that it was merged into.
    parent: u32,
    /// What may be in it.
    holds: Kinds,
    /// What may be made of it.
    used: Kinds,
    /// What an address that starts here points to.
    target: Option<Place>,
}

#[derive(Debug, Default)]
struct Object {
    /// Another object that this one was merged into, and where in it.
    parent: Option<(u32, i64)>,
    /// Size of the elements if this is an array, else 0.
    period: i64,
    bytes: BTreeMap<i64, Byte>,
    /// What is true of all bytes.
    all: Kinds,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    bytes: Vec<ByteData>,
    objects: Vec<Object>,
    pending: Vec<Work>,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Bytes(Byte, Byte),
    Places(Place, Place),
    /// Everything at a place was filled out of sight.
    Open(Place),
}

impl Graph {
    pub(super) fn new_bytes(&mut self, count: u64) -> Byte {
        let first = self.bytes.len() as u32;
        for parent in first..first + count as u32 {
            self.bytes.push(ByteData { parent, holds: Kinds::NONE, used: Kinds::NONE, target: None });
        }
        Byte(first)
    }

    fn new_object(&mut self) -> Place {
        self.objects.push(Object::default());
        Place { object: self.objects.len() as u32 - 1, offset: 0 }
    }

    pub(super) fn byte_count(&self) -> u32 {
        self.bytes.len() as u32
    }

    pub(super) fn root(&mut self, Byte(mut index): Byte) -> Byte {
        loop {
            let parent = self.bytes[index as usize].parent;
            if parent == index {
                return Byte(index);
            }
            // Halve the path for the next one.
            let grandparent = self.bytes[parent as usize].parent;
            self.bytes[index as usize].parent = grandparent;
            index = grandparent;
        }
    }

    /// The same place in an object that was not merged into another one.
    pub(super) fn resolve(&mut self, place: Place) -> Place {
        let Place { mut object, mut offset } = place;
        while let Some((parent, shift)) = self.objects[object as usize].parent {
            if let Some((grandparent, more)) = self.objects[parent as usize].parent {
                self.objects[object as usize].parent = Some((grandparent, shift.wrapping_add(more)));
            }
            let (parent, shift) = self.objects[object as usize].parent.unwrap_or((parent, shift));
            (object, offset) = (parent, offset.wrapping_add(shift));
        }
        let period = self.objects[object as usize].period;
        Place { object, offset: if period > 0 { offset.rem_euclid(period) } else { offset } }
    }

    pub(super) fn period(&mut self, place: Place) -> i64 {
        let place = self.resolve(place);
        self.objects[place.object as usize].period
    }

    /// The byte at a place.
    pub(super) fn byte(&mut self, place: Place) -> Byte {
        let place = self.resolve(place);
        if let Some(byte) = self.objects[place.object as usize].bytes.get(&place.offset) {
            return self.root(*byte);
        }
        let byte = self.new_bytes(1);
        let object = &mut self.objects[place.object as usize];
        object.bytes.insert(place.offset, byte);
        self.bytes[byte.0 as usize].holds = object.all;
        byte
    }

    /// The byte at a place if anything was ever said of it.
    pub(super) fn known_byte(&mut self, place: Place) -> Option<Byte> {
        let place = self.resolve(place);
        let byte = self.objects[place.object as usize].bytes.get(&place.offset).copied()?;
        Some(self.root(byte))
    }

    /// All bytes of an object that something was said of.
    pub(super) fn bytes_of(&mut self, place: Place) -> Vec<Byte> {
        let place = self.resolve(place);
        let bytes: Vec<_> = self.objects[place.object as usize].bytes.values().copied().collect();
        bytes.into_iter().map(|byte| self.root(byte)).collect()
    }

    /// What is true of all bytes of an object.
    pub(super) fn all(&mut self, place: Place) -> Kinds {
        let place = self.resolve(place);
        self.objects[place.object as usize].all
    }

    pub(super) fn holds(&mut self, byte: Byte) -> Kinds {
        let root = self.root(byte);
        self.bytes[root.0 as usize].holds
    }

    pub(super) fn used(&mut self, byte: Byte) -> Kinds {
        let root = self.root(byte);
        self.bytes[root.0 as usize].used
    }

    pub(super) fn target(&mut self, byte: Byte) -> Option<Place> {
        let root = self.root(byte);
        self.bytes[root.0 as usize].target
    }

    /// What an address that starts at a byte points to; a new object if that was never asked.
    pub(super) fn target_of(&mut self, byte: Byte) -> Place {
        let root = self.root(byte);
        if let Some(target) = self.bytes[root.0 as usize].target {
            return target;
        }
        let target = self.new_object();
        self.point(root, target);
        target
    }

    /// Says that a byte may hold something. Returns whether that is new.
    pub(super) fn hold(&mut self, byte: Byte, kinds: Kinds) -> bool {
        let new = self.add(byte, kinds);
        self.settle();
        new
    }

    fn add(&mut self, byte: Byte, kinds: Kinds) -> bool {
        let root = self.root(byte);
        let data = &mut self.bytes[root.0 as usize];
        let new = !data.holds.covers(kinds);
        let opened = kinds.has(Kinds::OPEN) && !data.holds.has(Kinds::OPEN);
        data.holds = data.holds.with(kinds);
        if let Some(target) = data.target.filter(|_| opened) {
            self.pending.push(Work::Open(target));
        }
        new
    }

    /// Says that something may be made of a byte. Returns whether that is new.
    pub(super) fn mark_use(&mut self, byte: Byte, kinds: Kinds) -> bool {
        let root = self.root(byte);
        let data = &mut self.bytes[root.0 as usize];
        let new = !data.used.covers(kinds);
        data.used = data.used.with(kinds);
        new
    }

    /// Says something of all bytes of an object.
    pub(super) fn hold_all(&mut self, place: Place, kinds: Kinds) {
        self.add_to_all(place, kinds);
        self.settle();
    }

    fn add_to_all(&mut self, place: Place, kinds: Kinds) {
        let place = self.resolve(place);
        let object = &mut self.objects[place.object as usize];
        if object.all.covers(kinds) {
            return;
        }
        object.all = object.all.with(kinds);
        let bytes: Vec<_> = object.bytes.values().copied().collect();
        for byte in bytes {
            self.add(byte, kinds);
        }
    }

    /// An address that starts at a byte points to a place.
    pub(super) fn point(&mut self, byte: Byte, place: Place) {
        let root = self.root(byte);
        let data = &mut self.bytes[root.0 as usize];
        if let Some(target) = data.target {
            self.pending.push(Work::Places(target, place));
        } else {
            data.target = Some(place);
            if data.holds.has(Kinds::OPEN) {
                self.pending.push(Work::Open(place));
            }
        }
        self.settle();
    }

    pub(super) fn join_bytes(&mut self, left: Byte, right: Byte) {
        self.pending.push(Work::Bytes(left, right));
        self.settle();
    }

    /// The two places may be one, and so on for all distances from them.
    pub(super) fn join(&mut self, left: Place, right: Place) {
        self.pending.push(Work::Places(left, right));
        self.settle();
    }

    fn settle(&mut self) {
        while let Some(work) = self.pending.pop() {
            match work {
                Work::Bytes(left, right) => self.merge_bytes(left, right),
                Work::Places(left, right) => self.merge_places(left, right),
                Work::Open(place) => self.add_to_all(place, Kinds::OPEN),
            }
        }
    }

    fn merge_bytes(&mut self, left: Byte, right: Byte) {
        let (left, right) = (self.root(left), self.root(right));
        if left == right {
            return;
        }
        let gone = self.bytes[right.0 as usize];
        self.bytes[right.0 as usize].parent = left.0;
        let data = &mut self.bytes[left.0 as usize];
        let opened = data.holds.has(Kinds::OPEN) != gone.holds.has(Kinds::OPEN);
        data.holds = data.holds.with(gone.holds);
        data.used = data.used.with(gone.used);
        match (data.target, gone.target) {
            (Some(left), Some(right)) => self.pending.push(Work::Places(left, right)),
            (None, target) => data.target = target,
            (Some(_), None) => {}
        }
        if let Some(target) = self.bytes[left.0 as usize].target.filter(|_| opened) {
            self.pending.push(Work::Open(target));
        }
    }

    fn merge_places(&mut self, left: Place, right: Place) {
        let (left, right) = (self.resolve(left), self.resolve(right));
        let distance = left.offset.wrapping_sub(right.offset);
        if left.object == right.object {
            if distance != 0 {
                let period = self.objects[left.object as usize].period;
                self.fold(left.object, gcd(period, distance));
            }
            return;
        }
        let gone = std::mem::take(&mut self.objects[right.object as usize]);
        self.objects[right.object as usize].parent = Some((left.object, distance));
        let all = gone.all.with(self.objects[left.object as usize].all);
        let period = gcd(self.objects[left.object as usize].period, gone.period);
        if period != self.objects[left.object as usize].period {
            self.fold(left.object, period);
        }
        for (offset, byte) in gone.bytes {
            self.place_byte(left.object, offset.wrapping_add(distance), byte);
        }
        // Of the bytes on both sides something new may be true.
        self.objects[left.object as usize].all = Kinds::NONE;
        self.add_to_all(left, all);
    }

    /// So many elements lie one after the other from a place on.
    pub(super) fn fold_range(&mut self, place: Place, size: i64, count: i64) {
        for position in size..size.saturating_mul(count) {
            let (before, after) = (self.byte(place.at(position - size)), self.byte(place.at(position)));
            self.join_bytes(before, after);
        }
    }

    /// Makes an object an array of elements of `period` bytes.
    fn fold(&mut self, object: u32, period: i64) {
        if self.objects[object as usize].period == period {
            return;
        }
        self.objects[object as usize].period = period;
        let bytes = std::mem::take(&mut self.objects[object as usize].bytes);
        for (offset, byte) in bytes {
            self.place_byte(object, offset, byte);
        }
    }

    fn place_byte(&mut self, object: u32, offset: i64, byte: Byte) {
        let object = &mut self.objects[object as usize];
        let offset = if object.period > 0 { offset.rem_euclid(object.period) } else { offset };
        match object.bytes.get(&offset) {
            Some(there) => self.pending.push(Work::Bytes(*there, byte)),
            None => {
                object.bytes.insert(offset, byte);
            }
        }
    }
}

/// The greatest common divisor; of 0 and another number, that number.
pub(super) fn gcd(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.min(1 << 62).cast_signed()
}
