// What --help says: one text a command, the same words as in tappet(1).

enum Help {
  static let overview = """
    Usage: tappet COMMAND [OPTION]…

    Turns a touch into a trusted message: reads NFC tags, checks their signature, publishes over mutual TLS.

      run              be the kiosk; shows it live on a terminal, logs otherwise
      check            look at everything the kiosk needs, a line each, and say what to do
      status           what the running kiosk is doing
      tag read         what a tag is, what is on it, whether it would work here
      tag watch        the same of each tag that is shown
      tag write        make a tag for an action, with a new secret
      tag erase        empty a tag
      tag lock         make a tag unwritable, for good
      tag format       give a tag without capability container one, for good
      secret import    let the tags of a share URL act here
      secret list      which secrets there are
      secret remove    refuse the tags of one secret from now on
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
    Usage: tappet tag read [--json] [--timeout SECONDS]
           tappet tag watch [--json]
           tappet tag write ACTION [--label LABEL] [--with-key] [--protect] [--json] [--timeout SECONDS]
           tappet tag erase [--json] [--timeout SECONDS]
           tappet tag lock|format [--yes] [--json] [--timeout SECONDS]
    """,
    "tag watch": """
    Usage: tappet tag watch [--config FILE] [--json]

    Says of each tag that is shown what 'tappet tag read' says, until Ctrl-C; with --json a line each. While a kiosk runs
    the taps count as any other.
    """,
    "tag write": """
    Usage: tappet tag write [--config FILE] ACTION [--label LABEL] [--with-key] [--protect] [--json] [--timeout SECONDS]

    Draws a new secret, waits for a tag (60 s, or --timeout), writes the signed URL of ACTION on it, reads it back, and only
    then saves the secret: an action has three at most. What does not fit is said with both numbers, and nothing is written.
    A tag that is taken away half-way has no secret and does not work; hold it there again and it is written to its end.
    While a kiosk runs it does it, with the light 'writing'; the tag is no tap meanwhile and acts from the next time on.

      --label LABEL   for people, in 'tappet secret list'
      --with-key      the app's older form, which carries its key: a phone can import the secret from it, and whoever reads
                      it can copy it. Needs an NTAG215 or larger.
      --protect       NTAG21x and Ultralight EV1: with a password of this kiosk's, so that nobody else rewrites the tag
    Exit status: 0 the tag works and its secret is saved; 1 it is not to be had with this tag; 4 the reader or the disk failed.
    """,
    "tag erase": """
    Usage: tappet tag erase [--config FILE] [--json] [--timeout SECONDS]

    Empties the next tag and overwrites what was on it; a password of this kiosk's is lifted. Its secret stays:
    'tappet secret remove' forgets it.
    """,
    "tag lock": """
    Usage: tappet tag lock [--config FILE] [--yes] [--json] [--timeout SECONDS]

    Sets the lock bits of the next tag (Type 4: ends write access), so that it can never be written again. It cannot be undone,
    so it asks; --yes answers. A tag that is taken away in between works, and can be locked to the end.
    """,
    "tag format": """
    Usage: tappet tag format [--config FILE] [--yes] [--json] [--timeout SECONDS]

    Gives the next tag a capability container, if it has none, and an empty message: NTAG21x, NTAG203, Ultralight and
    Ultralight EV1. The container can never be taken off again, so it asks; --yes answers.
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
