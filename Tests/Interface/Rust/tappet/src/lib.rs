//! libtappet for Rust: callers need no unsafe code.
use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::size_of;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

use tappet_sys as sys;

/// A tag's secret.
pub type Key = [u8; sys::TAPPET_KEY_SIZE];

/// A failed call: the library's code and a sentence for a person.
#[derive(Debug)]
pub struct Error {
    pub code: i32,
    pub sentence: String,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for Error {}

/// Copies a text of the library; NULL becomes an empty one.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() { String::new() } else { CStr::from_ptr(pointer).to_string_lossy().into_owned() }
}

fn check(result: c_int) -> Result<c_int, Error> {
    if result >= 0 {
        return Ok(result);
    }
    Err(Error { code: result, sentence: unsafe { text(sys::tappet_strerror(result)) } })
}

/// Copies a text for C, which would end it at its first NUL.
fn c_string(text: &str) -> Result<CString, Error> {
    CString::new(text)
        .map_err(|_| Error { code: sys::TAPPET_ERROR_ARGUMENT, sentence: format!("{text:?} contains a NUL") })
}

/// Returns the library's version.
pub fn version() -> String {
    unsafe { text(sys::tappet_version()) }
}

/// Contents of a genuine tag URL.
#[derive(Debug, PartialEq, Eq)]
pub struct Url {
    pub index: i64,
    pub timestamp: i64,
    pub key_index: usize,
}

/// Returns the contents of a tag URL if it was signed with one of the keys.
pub fn verify_url(url: &str, keys: &[Key]) -> Result<Url, Error> {
    let size = size_of::<sys::tappet_url>();
    let mut found =
        sys::tappet_url { size, index: 0, timestamp: 0, key_index: 0, carries_key: false, reserved: [0; 7] };
    check(unsafe {
        let (text, first) = (url.as_ptr() as *const c_char, keys.as_ptr() as *const u8);
        sys::tappet_url_verify(text, url.len(), first, keys.len(), &mut found)
    })?;
    Ok(Url { index: found.index, timestamp: found.timestamp, key_index: found.key_index })
}

/// Returns a signed tag URL.
pub fn sign_url(index: i64, timestamp: i64, key: &Key) -> Result<String, Error> {
    let mut bytes = [0u8; sys::TAPPET_URL_SIZE_MAX];
    let size = check(unsafe {
        sys::tappet_url_sign(index, timestamp, key.as_ptr(), bytes.as_mut_ptr() as *mut c_char, bytes.len())
    })?;
    Ok(String::from_utf8_lossy(&bytes[..size as usize]).into_owned())
}

/// An event in a kiosk.
#[derive(Debug)]
pub enum Event {
    Light(String),
    Refused(String),
    Delivered { action: String },
    Other { kind: u32, sentence: String },
}

/// Numbers of taps and presses by outcome.
#[derive(Debug)]
pub struct Counters {
    pub accepted: u64,
    pub delivered: u64,
    pub refused: u64,
}

/// Asks a kiosk to end, from any thread. It may outlive the kiosk: libtappet recognizes freed objects.
#[derive(Clone, Copy)]
pub struct Stopper(*mut sys::tappet_kiosk);

// Any thread may call tappet_kiosk_stop (tappet.h).
unsafe impl Send for Stopper {}
unsafe impl Sync for Stopper {}

impl Stopper {
    pub fn stop(&self) {
        unsafe { sys::tappet_kiosk_stop(self.0) };
    }
}

/// A kiosk, which only one thread at a time may use: it is not `Sync`.
pub struct Kiosk<'a> {
    handle: *mut sys::tappet_kiosk,
    // Boxed twice: C keeps a thin pointer to the inner box, which does not move.
    _listener: Box<Box<dyn FnMut(Event) + Send + 'a>>,
}

// Any thread may use it, one at a time (tappet.h).
unsafe impl Send for Kiosk<'_> {}

impl<'a> Kiosk<'a> {
    /// Creates a kiosk from a configuration file. The listener is called inside `run`.
    pub fn load(path: &str, listener: impl FnMut(Event) + Send + 'a) -> Result<Self, Error> {
        let mut handle = ptr::null_mut();
        check(unsafe { sys::tappet_kiosk_new(&mut handle) })?;
        let mut listener: Box<Box<dyn FnMut(Event) + Send + 'a>> = Box::new(Box::new(listener));
        let context = &mut *listener as *mut Box<dyn FnMut(Event) + Send + 'a> as *mut c_void;
        let kiosk = Kiosk { handle, _listener: listener };
        kiosk.check(unsafe { sys::tappet_kiosk_set_event_callback(handle, Some(forward), context) })?;
        kiosk.check(unsafe { sys::tappet_kiosk_load(handle, c_string(path)?.as_ptr()) })?;
        Ok(kiosk)
    }

    /// Adds a secret for the tags of an action.
    pub fn add_secret(&mut self, action: &str, key: &Key) -> Result<(), Error> {
        let action = c_string(action)?;
        self.check(unsafe { sys::tappet_kiosk_add_secret(self.handle, action.as_ptr(), key.as_ptr()) }).map(drop)
    }

    /// Runs the kiosk until a stopper stops it.
    pub fn run(&mut self) -> Result<(), Error> {
        self.check(unsafe { sys::tappet_kiosk_run(self.handle) }).map(drop)
    }

    /// Returns a handle that ends `run`.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.handle)
    }

    /// Returns the numbers of this run, or of the last one.
    pub fn counters(&self) -> Result<Counters, Error> {
        let size = size_of::<sys::tappet_kiosk_counters>();
        let mut found = sys::tappet_kiosk_counters { size, ..Default::default() };
        self.check(unsafe { sys::tappet_kiosk_get_counters(self.handle, &mut found) })?;
        Ok(Counters { accepted: found.accepted, delivered: found.delivered, refused: found.refused })
    }

    fn check(&self, result: c_int) -> Result<c_int, Error> {
        check(result).map_err(|error| {
            let mut failure = sys::tappet_failure {
                size: size_of::<sys::tappet_failure>(), code: 0, system_code: 0, file_line: 0, file_column: 0,
                sentence: ptr::null(),
            };
            match unsafe { sys::tappet_kiosk_last_error(self.handle, &mut failure) } {
                0 => Error { code: error.code, sentence: unsafe { text(failure.sentence) } },
                _ => error,
            }
        })
    }
}

impl Drop for Kiosk<'_> {
    fn drop(&mut self) {
        unsafe { sys::tappet_kiosk_free(self.handle) };
    }
}

unsafe extern "C" fn forward(context: *mut c_void, event: *const sys::tappet_kiosk_event) {
    let listener = &mut *(context as *mut Box<dyn FnMut(Event) + Send>);
    let event = &*event;
    let event = match event.r#type {
        sys::TAPPET_KIOSK_EVENT_LIGHT => Event::Light(text(event.name)),
        sys::TAPPET_KIOSK_EVENT_REFUSED => Event::Refused(text(event.sentence)),
        sys::TAPPET_KIOSK_EVENT_DELIVERED => Event::Delivered { action: text(event.action) },
        kind => Event::Other { kind, sentence: text(event.sentence) },
    };
    // A panic must not cross C; the kiosk continues without this event.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listener(event)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_verifies_under_its_own_key_only() {
        let (key, other) = ([1u8; 32], [2u8; 32]);
        let url = sign_url(3, 1767168000, &key).unwrap();
        assert_eq!(verify_url(&url, &[other, key]).unwrap(), Url { index: 3, timestamp: 1767168000, key_index: 1 });
        assert_eq!(verify_url(&url, &[other]).unwrap_err().code, -14);
        assert_eq!(verify_url(&url, &[]).unwrap_err().code, -14);
        assert_eq!(verify_url("", &[key]).unwrap_err().code, -10);
    }

    #[test]
    fn a_missing_file_is_reported() {
        let error = Kiosk::load("/no/such/file", |_| {}).err().unwrap();
        assert!(error.code == -44 && error.sentence.contains("/no/such/file"), "{error}");
        assert_eq!(Kiosk::load("/no/such/file\0s", |_| {}).err().unwrap().code, sys::TAPPET_ERROR_ARGUMENT);
    }
}
