//! The part of `tappet.h` that the safe crate uses, declaration for declaration.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_int, c_uint, c_void};

pub const TAPPET_KEY_SIZE: usize = 32;
pub const TAPPET_URL_SIZE_MAX: usize = 144;
pub const TAPPET_ERROR_ARGUMENT: c_int = -1;
pub const TAPPET_KIOSK_EVENT_LIGHT: c_uint = 1;
pub const TAPPET_KIOSK_EVENT_REFUSED: c_uint = 2;
pub const TAPPET_KIOSK_EVENT_DELIVERED: c_uint = 6;

#[repr(C)]
pub struct tappet_url {
    pub size: usize,
    pub index: i64,
    pub timestamp: i64,
    pub key_index: usize,
    pub carries_key: bool,
    pub reserved: [u8; 7],
}

#[repr(C)]
pub struct tappet_failure {
    pub size: usize,
    pub code: c_int,
    pub system_code: c_int,
    pub file_line: c_int,
    pub file_column: c_int,
    pub sentence: *const c_char,
}

#[repr(C)]
#[derive(Default)]
pub struct tappet_kiosk_counters {
    pub size: usize,
    pub accepted: u64,
    pub delivered: u64,
    pub refused: u64,
    pub ignored: u64,
    pub expired: u64,
    pub undeliverable: u64,
    pub waiting: u64,
}

#[repr(C)]
pub struct tappet_kiosk {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tappet_kiosk_event {
    pub size: usize,
    pub r#type: c_uint,
    pub trigger: c_uint,
    pub light: c_uint,
    pub priority: c_uint,
    pub name: *const c_char,
    pub sentence: *const c_char,
    pub action: *const c_char,
    pub topic: *const c_char,
    pub id: *const c_char,
    pub uid: *const u8,
    pub uid_size: usize,
    pub after_milliseconds: i64,
    pub output: *const c_char,
    pub is_on: bool,
    pub reserved: [u8; 7],
    pub tag: *const c_char,
    pub person: *const c_char,
    pub code: *const c_char,
    pub thing: *const c_char,
}

pub type tappet_kiosk_event_callback = Option<unsafe extern "C" fn(*mut c_void, *const tappet_kiosk_event)>;

extern "C" {
    pub fn tappet_version() -> *const c_char;
    pub fn tappet_strerror(error: c_int) -> *const c_char;
    pub fn tappet_url_verify(
        url: *const c_char, url_size: usize, keys: *const u8, key_count: usize, ret_url: *mut tappet_url,
    ) -> c_int;
    pub fn tappet_url_sign(
        index: i64, timestamp: i64, key: *const u8, ret_url: *mut c_char, ret_size: usize,
    ) -> c_int;
    pub fn tappet_kiosk_new(ret_kiosk: *mut *mut tappet_kiosk) -> c_int;
    pub fn tappet_kiosk_free(kiosk: *mut tappet_kiosk);
    pub fn tappet_kiosk_load(kiosk: *mut tappet_kiosk, path: *const c_char) -> c_int;
    pub fn tappet_kiosk_add_secret(kiosk: *mut tappet_kiosk, action: *const c_char, key: *const u8) -> c_int;
    pub fn tappet_kiosk_set_event_callback(
        kiosk: *mut tappet_kiosk, callback: tappet_kiosk_event_callback, context: *mut c_void,
    ) -> c_int;
    pub fn tappet_kiosk_run(kiosk: *mut tappet_kiosk) -> c_int;
    pub fn tappet_kiosk_stop(kiosk: *mut tappet_kiosk) -> c_int;
    pub fn tappet_kiosk_get_counters(kiosk: *const tappet_kiosk, ret_counters: *mut tappet_kiosk_counters) -> c_int;
    pub fn tappet_kiosk_last_error(kiosk: *const tappet_kiosk, ret_failure: *mut tappet_failure) -> c_int;
}
