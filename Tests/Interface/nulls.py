"""Writes a C program that passes NULL to every function of tappet.h.

It does so for each pointer parameter, and for each pointer in the structures that are passed in, with good values for
everything else. Each call must return an error code, unless the header allows NULL there.

Usage: nulls.py HEADER > nulls.c
"""
import sys

import declarations

header = declarations.Header(sys.argv[1])
functions = header.all(declarations.Function)
structures = {structure.name: structure.members for structure in header.all(declarations.Structure)}

# A good value for each parameter, by its name. A parameter without one ends the program.
VALUES = {
    "bytes": "bytes", "size": "2", "text": '"00ff"', "text_size": "4", "message": "message", "message_size": "12",
    "records": "&record", "count": "1", "ret_count": "16", "uri": '"smp://x"', "uri_size": "7", "url": "url",
    "url_size": "strlen(url)", "keys": "bytes", "key_count": "1", "key": "bytes", "key_size": "16", "label": '"x"',
    "label_size": "1", "token": '"4b5faf9a581cd27fbe23940cf13ce875"', "token_size": "32", "index": "0",
    "timestamp": "0", "unix_seconds": "0", "now_unix_seconds": "0", "tolerance_seconds": "5",
    "rule": "TAPPET_TOKEN_RULE_WINDOW",
    "error": "0", "options": "&broker_options", "action": "&action", "path": '"/no/such/file"', "device": '"none"',
    "is_trusted": "1", "topic": '"topic"', "payload": "bytes", "payload_size": "2", "is_retained": "false",
    "timeout_milliseconds": "0", "ret_is_active": "&is_active",
    "filter": '"filter"', "qos": "0", "context": "buffer", "callback": "NULL", "completion": "NULL",
    "ret_size": "sizeof buffer", "ret_text": "(char *)buffer", "ret_bytes": "buffer", "ret_message": "buffer",
    "ret_uri": "(char *)buffer", "ret_url": "(char *)buffer", "ret_token": "(char *)buffer", "ret_records": "records",
    "ret_share": "&share", "ret_unix_seconds": "&seconds", "ret_receiver": "&made_receiver",
    "ret_broker": "&made_broker", "ret_reader": "&made_reader", "ret_kiosk": "&made_kiosk", "ret_panel": "&made_panel",
    "panel": "panel", "profile": '"/no/such/profile.yaml"', "is_on": "1", "line": "0",
    "ret_event": "&reader_event", "ret_counters": "&counters", "ret_failure": "&failure", "receiver": "receiver",
    "length_milliseconds": "1", "request": "TAPPET_KIOSK_REQUEST_ON", "output": '"gate"', "position": "0",
    "ret_output": "&output",
    "properties": "&broker_properties", "ret_report": "&report", "ret_step": "&step",
    "ret_certificate": "&certificate", "name": '"Ann"', "new_name": '"Ben"', "forgets_taps": "false",
    "secret_id": '"00ff"', "uid": "bytes", "uid_size": "4",
    "yaml": '"a: 1"', "folder": '"/"', "ret_devices": "(char *)buffer", "ret_info": "&info",
    "broker": "broker", "reader": "reader", "kiosk": "kiosk",
    "inventory": "inventory", "ret_inventory": "&made_inventory", "kind": "TAPPET_INVENTORY_KIND_ROOM", "id": "id",
    "container_id": "id", "values": "&values", "by": '"Ann"', "code": '"B-1"', "limit": "1", "ret_entry": "&entry",
    "pieces": "1", "barcode": '"4006381333931"', "person": '"Ann"', "quantity": "1", "due_day": '"2126-12-24"',
    "first_day": '"2126-12-24"', "last_day": '"2126-12-24"', "number": "1",
}
EXCEPTIONS = {("tappet_url_verify", "ret_url"): "&verified", ("tappet_kiosk_add_secret", "action"): '"one"',
              ("tappet_kiosk_press", "action"): '"one"', ("tappet_kiosk_write_tag", "action"): '"one"',
              ("tappet_kiosk_learn_tag", "action"): '"one"', ("tappet_panel_add_line", "line"): "&line",
              ("tappet_broker_subscribe_with", "options"): "&subscribe_options"}
STRUCTURES = {"tappet_broker_options": "broker_options", "tappet_broker_properties": "broker_properties",
              "tappet_broker_subscribe_options": "subscribe_options",
              "tappet_kiosk_action": "action", "tappet_panel_line": "line", "tappet_inventory_values": "values"}


def call(function, changes):
    values = [changes.get(p.name, EXCEPTIONS.get((function.name, p.name), VALUES.get(p.name)))
              for p in function.parameters]
    assert None not in values, f"nulls.py has no value for a parameter of {function.name}"
    return f"{function.name}({', '.join(values)})"


print("""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

static int passed, failed;
static uint8_t buffer[1024];
static const uint8_t bytes[64] = {1};
static const uint8_t message[] = {0xd1, 0x01, 0x08, 0x55, 0x01, 0x6e, 0x66, 0x63, 0x2e, 0x63, 0x6f, 0x6d};
static const char url[] = "smp://action?idx=0&ts=1&sig=00";
static struct tappet_kiosk *kiosk, *made_kiosk;
static struct tappet_broker *broker, *made_broker;
static struct tappet_reader *reader, *made_reader;
static struct tappet_panel *panel, *made_panel;
static struct tappet_inventory *inventory, *made_inventory;
static const char id[] = "00000000-0000-7000-8000-000000000000";
static struct tappet_token_receiver *receiver, *made_receiver;

static void expect(int condition, int result, const char *what) {
  if (condition) { passed++; return; }
  failed++;
  fprintf(stderr, "%s returned %d\\n", what, result);
}

int main(void) {
  struct tappet_broker_options broker_options = {
      .size = sizeof broker_options, .url = "mqtt://127.0.0.1:1", .client_id = "nulls"};
  struct tappet_broker_properties broker_properties = {.size = sizeof broker_properties};
  struct tappet_broker_subscribe_options subscribe_options = {.size = sizeof subscribe_options};
  struct tappet_broker_report report = {.size = sizeof report};
  struct tappet_broker_step step = {.size = sizeof step};
  struct tappet_broker_certificate certificate = {.size = sizeof certificate};
  struct tappet_panel_line line = {.size = sizeof line, .name = "line"};
  struct tappet_kiosk_action action = {.size = sizeof action, .name = "one", .topic = "t", .message = "m"};
  struct tappet_ndef_record record = {.size = sizeof record, .format = 1}, records[16] = {{.size = sizeof record}};
  struct tappet_url verified = {.size = sizeof verified};
  struct tappet_share share = {.size = sizeof share};
  struct tappet_kiosk_counters counters = {.size = sizeof counters};
  struct tappet_panel_line_info info = {.size = sizeof info};
  struct tappet_kiosk_output output = {.size = sizeof output};
  struct tappet_inventory_values values = {.size = sizeof values, .name = "Shelf"};
  struct tappet_inventory_entry entry = {.size = sizeof entry};
  struct tappet_failure failure = {.size = sizeof failure};
  struct tappet_reader_event reader_event = {.size = sizeof reader_event};
  int64_t seconds;
  bool is_active;
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  if (tappet_kiosk_new(&kiosk) != 0 || tappet_broker_new(&broker) != 0 || tappet_reader_new(&reader) != 0 ||
      tappet_panel_new(&panel) != 0 || tappet_inventory_new(&inventory) != 0 ||
      tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, bytes, 16, &receiver) != 0 ||
      tappet_kiosk_add_action(kiosk, &action) != 0)
    return EXIT_FAILURE;
  int result;
  (void)made_kiosk, (void)made_broker, (void)made_reader, (void)made_panel, (void)made_receiver;
  (void)made_inventory;""")
covered = 0
for function in functions:
    pointers = [p for p in function.parameters if p.is_pointer]
    if function.result == "void":
        print(f"  {call(function, {p.name: 'NULL' for p in pointers})};\n  passed++;")
        continue
    if function.result != "int":
        continue
    for p in pointers:
        changes = {p.name: "NULL"}
        wanted = "result != TAPPET_ERROR_ARGUMENT" if p.may_be_null == "always" else "result == TAPPET_ERROR_ARGUMENT"
        print(f"  result = {call(function, changes)};")
        print(f'  expect({wanted}, result, "{function.name} with NULL for {p.name}");')
        type = p.type.replace("const struct ", "").replace(" *", "")
        for member in structures.get(type, []) if type in STRUCTURES and p.type.startswith("const") else []:
            if not member.is_pointer:
                continue
            place = f"{STRUCTURES[type]}.{member.name}"
            wanted = "1" if member.may_be_null else "result == TAPPET_ERROR_ARGUMENT"
            print(f"  {{ const void *kept = {place}; {place} = NULL; result = {call(function, {})}; {place} = kept; }}")
            print(f'  expect({wanted}, result, "{function.name} with NULL for {place}");')
    if pointers:
        print(f'  result = {call(function, {p.name: "NULL" for p in pointers})};')
        print(f'  expect(result == TAPPET_ERROR_ARGUMENT, result, "{function.name} with NULL everywhere");')
        covered += 1
print(f"""  tappet_kiosk_free(kiosk);
  tappet_broker_free(broker);
  tappet_reader_free(reader);
  tappet_panel_free(panel);
  tappet_inventory_free(inventory);
  tappet_token_receiver_free(receiver);
  printf("nulls: {covered} functions, %d passed, %d failed\\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}}""")
