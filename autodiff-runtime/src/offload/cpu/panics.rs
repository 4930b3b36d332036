//! What a kernel said when it panicked.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

/// A panic.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) message: String,
    pub(super) file: String,
    pub(super) line: u32,
}

thread_local! {
    static LAST: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// From now on, panics of kernels are kept, to be returned as errors, and not printed.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    // The hook cannot be changed by a thread that panics; its launches have poorer messages.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if super::current().is_none() {
                return others(info);
            }
            let location = info.location();
            let report = Report {
                message: text(info.payload()),
                file: location.map(|place| place.file().to_owned()).unwrap_or_default(),
                line: location.map_or(0, panic::Location::line),
            };
            LAST.with(|last| *last.borrow_mut() = Some(report));
        }));
    });
}

/// The last panic of this thread, whose payload is at hand.
pub(super) fn take(payload: &(dyn std::any::Any + Send)) -> Report {
    let last = LAST.with(|last| last.borrow_mut().take());
    last.unwrap_or_else(|| Report { message: text(payload), ..Report::default() })
}

fn text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "(no message)".to_owned())
}
