// Package tappet is libtappet for Go: signed NFC tags and tap-to-publish kiosks.
package tappet

/*
#cgo pkg-config: tappet
#include <stdlib.h>
#include <tappet.h>

void tappetGoForward(void *context, struct tappet_kiosk_event *event);

static int setCallback(struct tappet_kiosk *kiosk, uintptr_t context) {
  return tappet_kiosk_set_event_callback(kiosk, (tappet_kiosk_event_callback)tappetGoForward, (void *)context);
}
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"strconv"
	"strings"
	"unsafe"
)

// Error is a failed call: the library's code and a sentence for a person.
type Error struct {
	Code     int
	Sentence string
}

func (e *Error) Error() string { return e.Sentence }

func check(result C.int) error {
	if result >= 0 {
		return nil
	}
	return &Error{int(result), C.GoString(C.tappet_strerror(result))}
}

// cString copies a text for C, which would end it at its first NUL. The caller frees the copy.
func cString(text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &Error{C.TAPPET_ERROR_ARGUMENT, strconv.Quote(text) + " contains a NUL"}
	}
	return C.CString(text), nil
}

// Version returns the library's version.
func Version() string { return C.GoString(C.tappet_version()) }

// Key is a tag's secret.
type Key [C.TAPPET_KEY_SIZE]byte

// URL has the contents of a genuine tag URL.
type URL struct {
	Index, Timestamp int64
	KeyIndex         int
}

// VerifyURL returns the contents of a tag URL if it was signed with one of the keys; otherwise an error.
func VerifyURL(url string, keys []Key) (URL, error) {
	text := []byte(url)
	if len(text) == 0 {
		return URL{}, check(C.TAPPET_ERROR_SCHEME)
	}
	var first *C.uint8_t
	if len(keys) > 0 {
		first = (*C.uint8_t)(&keys[0][0])
	}
	found := C.struct_tappet_url{size: C.sizeof_struct_tappet_url}
	err := check(C.tappet_url_verify(
		(*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text)), first, C.size_t(len(keys)), &found))
	return URL{int64(found.index), int64(found.timestamp), int(found.key_index)}, err
}

// SignURL returns a signed tag URL.
func SignURL(index, timestamp int64, key Key) (string, error) {
	var text [C.TAPPET_URL_SIZE_MAX]C.char
	size := C.tappet_url_sign(
		C.int64_t(index), C.int64_t(timestamp), (*C.uint8_t)(&key[0]), &text[0], C.size_t(len(text)))
	if err := check(size); err != nil {
		return "", err
	}
	return C.GoStringN(&text[0], size), nil
}

// Types of events; tappet.h has more.
const (
	Light     = C.TAPPET_KIOSK_EVENT_LIGHT
	Refused   = C.TAPPET_KIOSK_EVENT_REFUSED
	Accepted  = C.TAPPET_KIOSK_EVENT_ACCEPTED
	Delivered = C.TAPPET_KIOSK_EVENT_DELIVERED
)

// Event is an event in a kiosk.
type Event struct {
	Type                   int
	Name, Sentence, Action string
}

// Counters has the numbers of taps and presses by outcome.
type Counters struct{ Accepted, Delivered, Refused uint64 }

// Kiosk is a kiosk. Only one goroutine at a time may use it, but any may call Stop.
type Kiosk struct {
	handle  *C.struct_tappet_kiosk
	context cgo.Handle
	onEvent func(Event)
}

// Load creates a kiosk from a configuration file. The goroutine in Run calls onEvent.
func Load(path string, onEvent func(Event)) (*Kiosk, error) {
	text, err := cString(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(text))
	kiosk := &Kiosk{onEvent: onEvent}
	if err := check(C.tappet_kiosk_new(&kiosk.handle)); err != nil {
		return nil, err
	}
	kiosk.context = cgo.NewHandle(kiosk)
	err = kiosk.check(C.setCallback(kiosk.handle, C.uintptr_t(kiosk.context)))
	if err == nil {
		err = kiosk.check(C.tappet_kiosk_load(kiosk.handle, text))
	}
	if err != nil {
		kiosk.Close()
		return nil, err
	}
	return kiosk, nil
}

// AddSecret adds a secret for the tags of an action.
func (kiosk *Kiosk) AddSecret(action string, key Key) error {
	text, err := cString(action)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(text))
	return kiosk.check(C.tappet_kiosk_add_secret(kiosk.handle, text, (*C.uint8_t)(&key[0])))
}

// Run runs the kiosk until Stop.
func (kiosk *Kiosk) Run() error { return kiosk.check(C.tappet_kiosk_run(kiosk.handle)) }

// Stop asks the kiosk to end.
func (kiosk *Kiosk) Stop() error { return check(C.tappet_kiosk_stop(kiosk.handle)) }

// Counters returns the numbers of this run, or of the last one.
func (kiosk *Kiosk) Counters() (Counters, error) {
	found := C.struct_tappet_kiosk_counters{size: C.sizeof_struct_tappet_kiosk_counters}
	err := kiosk.check(C.tappet_kiosk_get_counters(kiosk.handle, &found))
	return Counters{uint64(found.accepted), uint64(found.delivered), uint64(found.refused)}, err
}

// Close ends the kiosk and frees it.
func (kiosk *Kiosk) Close() {
	C.tappet_kiosk_free(kiosk.handle)
	kiosk.context.Delete()
}

func (kiosk *Kiosk) check(result C.int) error {
	err := check(result)
	failure := C.struct_tappet_failure{size: C.sizeof_struct_tappet_failure}
	var known *Error
	if errors.As(err, &known) && C.tappet_kiosk_last_error(kiosk.handle, &failure) == 0 {
		known.Sentence = C.GoString(failure.sentence)
	}
	return err
}

//export tappetGoForward
func tappetGoForward(context unsafe.Pointer, event *C.struct_tappet_kiosk_event) {
	kiosk := cgo.Handle(uintptr(context)).Value().(*Kiosk)
	kiosk.onEvent(Event{int(event._type), C.GoString(event.name), C.GoString(event.sentence), C.GoString(event.action)})
}
