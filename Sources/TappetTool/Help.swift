// What --help says: one text a command, the same words as in tappet(1).

enum Help {
  static let overview = """
    Usage: tappet COMMAND [OPTION]…

    Turns a touch into a trusted message: reads NFC tags, checks their signature, publishes over mutual TLS.

      run              be the kiosk; shows it live on a terminal, logs otherwise
      check            look at everything the kiosk needs, a line each, and say what to do
      status           what the running kiosk is doing
      tag read         what a tag is, what is on it, whether it would work here
      secret import    let the tags of a share URL act here
      secret list      which secrets there are
      secret remove    refuse the tags of one secret from now on
      outbox list      what waits for the broker
      outbox drop      do not send it
      outbox export    write it to a file
      token seal|open  timestamp tokens by hand

    'tappet COMMAND --help' tells more. --config FILE names the configuration (/etc/tappet/kiosk.yaml).
    Exit status: 0 done; 1 refused, or something is wrong; 2 usage; 3 mistakes in the configuration;
    4 a device, a file or a process failed.
    """

  static func text(for command: String) -> String? { texts.first { $0.key == command }?.value }

  private static let texts: KeyValuePairs<String, String> = [
    "run": """
    Usage: tappet run [--config FILE] [--light-trace FILE] [--plain]

    Runs the kiosk until SIGTERM or Ctrl-C; the second one ends it at once. On a terminal it shows the lights in their
    rhythm, the parts and the last taps, and the keys 1 to 9 are the buttons ('h' before a digit holds it until the digit
    is typed again); otherwise, or with --plain, it logs to stderr.

      --config FILE       the configuration (/etc/tappet/kiosk.yaml)
      --light-trace FILE  append every light and level with its monotonic time:
                          NANOSECONDS LIGHT, NANOSECONDS OUTPUT=0|1
      --plain             log instead of the live view
    """,
    "check": """
    Usage: tappet check [--config FILE] [--json]

    Looks at the configuration, the timestamp key, the certificates and their days left, the secrets, the state folder,
    the clock, the reader and the broker: a line each, with what is wrong and what to do. While a kiosk runs with this
    configuration it is asked for its reader and its link, which only one process can have.
    The panel's lines are taken and given back (while a kiosk runs: looked at), and with 'panel.profile' the header is drawn.
    Exit status: 0 all is well, 1 something is wrong, 3 mistakes in the configuration.
    """,
    "status": """
    Usage: tappet status [--config FILE] [--json]

    Asks the running kiosk. Exit status: 0 all is well, 1 something is wrong, 4 none runs.
    """,
    "tag": """
    Usage: tappet tag read [--config FILE] [--json] [--timeout SECONDS]
    """,
    "tag read": """
    Usage: tappet tag read [--config FILE] [--json] [--timeout SECONDS]

    Waits for a tag (30 s, or --timeout) and says what it is, what is on it, and whether it would work here and why not.
    While a kiosk runs it is asked, since only one process can have the reader; the tap then counts as any other.
    Keys and signatures are not printed. Exit status: 0 it would work, 1 it would not, or no tag came.
    """,
    "secret": """
    Usage: tappet secret import [--file FILE] [--action NAME] [--label LABEL]
           tappet secret list [--json]
           tappet secret remove ID
    """,
    "secret import": """
    Usage: tappet secret import [--config FILE] [--file FILE] [--action NAME] [--label LABEL]

    Takes a share URL (smpshare://secret?…) from standard input or from FILE and lets its tags act. A running kiosk
    takes the secret over at once. It is refused when its action is not configured (or is not NAME), when it is there
    already, and when the action has three.
    Example: wl-paste | tappet secret import --label 'Front door'
    """,
    "secret list": """
    Usage: tappet secret list [--config FILE] [--json]

    Lists id, action, index and label of each secret; never the key.
    """,
    "secret remove": """
    Usage: tappet secret remove [--config FILE] ID

    Removes one secret: exactly the tags written with it are refused from now on, by a running kiosk too.
    """,
    "outbox": """
    Usage: tappet outbox list [--json]
           tappet outbox drop ID | --all [--json]
           tappet outbox export FILE [--json]
    """,
    "outbox list": """
    Usage: tappet outbox list [--config FILE] [--json]

    Lists what was accepted and waits for the broker, the oldest first: id (%I), action, topic, time left, message. With
    --json an object a line.
    """,
    "outbox drop": """
    Usage: tappet outbox drop [--config FILE] [--json] ID
           tappet outbox drop [--config FILE] [--json] --all

    Takes one entry, or all, out of the outbox: they will not be sent. A running kiosk does it itself; what is with the
    broker already, its answer outstanding, may have arrived. Exit status 1: there is no such entry.
    """,
    "outbox export": """
    Usage: tappet outbox export [--config FILE] [--json] FILE

    Writes every entry as a JSON object a line to FILE, which must not exist yet (mode 0600). The outbox keeps them.
    """,
    "token": """
    Usage: tappet token seal [--key-file FILE] [--time SECONDS]
           tappet token open [--key-file FILE] [--json] TOKEN
    """,
    "token seal": """
    Usage: tappet token seal [--config FILE | --key-file FILE] [--time SECONDS]

    Prints a timestamp token (32 hex digits) of now, or of SECONDS since 1970.
    """,
    "token open": """
    Usage: tappet token open [--config FILE | --key-file FILE] [--json] TOKEN

    Prints the time that a token holds and its age. Exit status 1: it was not made with this key.
    """,
  ]
}
