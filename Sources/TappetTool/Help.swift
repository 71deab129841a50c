// What --help says: one text a command, the same words as in tappet(1).

enum Help {
  static let overview = """
    Usage: tappet COMMAND [OPTION]…

    Turns a touch into a trusted message: reads NFC tags, checks their signature, publishes over mutual TLS.

      init             set up a kiosk: asks for everything, tries each answer, and sees the first tap through
      import-settings  make a kiosk of the phone app's settings
      cert check       look at certificates and keys; also cert import, cert export, cert request
      run              be the kiosk; shows it live on a terminal, logs otherwise
      check            look at everything the kiosk needs, a line each, and say what to do
      status           what the running kiosk is doing
      tag read         what a tag is, what is on it, whether it would work here
      tag watch        the same of each tag that is shown
      tag write        make a tag for an action, with a new secret
      tag erase        empty a tag
      tag lock         make a tag unwritable, for good
      tag format       give a tag without capability container one, for good
      secret …         which tags act here: list, new, share, import, rename, remove; rekey
      audit            who changed or saw a secret, and when
      backup, restore  all secrets in one file, under a passphrase
      outbox list      what waits for the broker
      outbox drop      do not send it
      outbox export    write it to a file
      token seal|open  timestamp tokens by hand; 'token key' stores their key

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
    Exit status: 0 all is well, 1 something is wrong, 3 mistakes in the configuration. A certificate that is about to end is
    not wrong yet: its line has the days left.
    """,
    "status": """
    Usage: tappet status [--config FILE] [--json]

    Asks the running kiosk. Exit status: 0 all is well, 1 something is wrong, 3 mistakes in the configuration (the running
    kiosk goes on with the one that it has), 4 none runs. A certificate that is about to end is not wrong yet: see days_left
    in --json.
    """,
    "init": """
    Usage: tappet init [--config FILE] [--yes] [OPTION]…

    Asks for broker, certificates, reader, panel and first action, tries each answer where it is given, writes a commented
    kiosk.yaml with the files beside it, and ends with the first tap at the broker. Nothing is written before the last
    question. Each option answers its question beforehand; with --yes nothing is asked, and the rest has its default.

      --preset NAME           aws-iot, emqx, hivemq, home-assistant, mosquitto, another
      --url HOST|URL          HOST, HOST:PORT, mqtts://… or mqtt://…
      --alpn NAME             offered in the TLS handshake; aws-iot on port 443 has its own
      --ca FILE|system        the broker's CA
      --certificate FILE      a .p12, or PEM or DER with --private-key FILE; 'request' makes a key and a request; 'none'
      --passphrase-file FILE  its first line opens the .p12 or the key
      --client-id NAME        the certificate's name
      --reader DEVICE         libnfc's connection string; 'find', 'any', 'none'
      --profile NAME          the board's header; --led LINE, --button LINE, --panel-simulator SOCKET
      --action NAME           light; --topic TOPIC, --message TEXT
      --timestamp-key FILE    for %T; 'new' makes one; --clock-trust where nobody sets the clock
      --state DIR             the database's folder
      --write-tag             writes the first tag, with a new secret
      --share-file FILE       a share code, so that the phone's tags work
      --tap SECONDS           waits for the first tap; needs --write-tag or --share-file
      --untested              writes though a test failed
      --force                 replaces what is there
    Example: tappet init --yes --preset mosquitto --url broker.example --ca ca.pem --certificate kiosk.p12 --passphrase-file p
    """,
    "import-settings": """
    Usage: tappet import-settings [--config FILE] [--client-id NAME] [--reader DEVICE] [--state DIR]
                                  [--passphrase-file FILE] [--force] FILE

    Makes a kiosk of the settings that the phone app exports, of both its generations: kiosk.yaml, certificates and
    timestamp key beside it, and the secrets of its tags. Every mistake is told at once; then nothing is changed.
    """,
    "cert": """
    Usage: tappet cert check [--host NAME] [--passphrase-file FILE] [--json] [FILE]…
           tappet cert import [--certificate FILE --private-key FILE] [--ca FILE] [--passphrase-file FILE] [--force] FILE…
           tappet cert export [--certificate FILE --private-key FILE] [--passphrase-file FILE | --no-passphrase] [--force] FILE
           tappet cert request [--private-key FILE] [--name NAME] [--dns NAME,…] [--out FILE] [--force]

    All take --config FILE, too, and the files that its 'broker' names.
    """,
    "cert check": """
    Usage: tappet cert check [--config FILE] [--host NAME] [--passphrase-file FILE] [--json] [FILE]…

    Looks at certificates and keys together, PEM, DER or PKCS#12, in any order; without files, at the configuration's:
    dates, use, strength, whether the key belongs to a certificate, whether the chain holds. --host: are they a server's of
    this name? Exit status: 0 all is well, 1 something is wrong.
    """,
    "cert import": """
    Usage: tappet cert import [--config FILE] [--certificate FILE] [--private-key FILE] [--ca FILE]
                              [--passphrase-file FILE] [--force] FILE…

    Puts certificate, chain and key of a .p12, or of PEM or DER files, into the configuration's files (or those named): the
    leaf first, 0644 and 0600, all or none. Where they hold no key, as after 'tappet cert request', the configuration's key
    is taken if it fits. --ca writes the roots that are among them. It asks once for a passphrase, without echo, and before
    it replaces anything; --force answers.
    Example: tappet cert import kiosk.p12
    """,
    "cert export": """
    Usage: tappet cert export [--config FILE] [--certificate FILE] [--private-key FILE]
                              [--passphrase-file FILE | --no-passphrase] [--force] FILE

    Writes the configuration's certificate, chain and key (or those named) as one PKCS#12 file (AES-256, mode 0600). It asks
    before it replaces FILE; --force answers.
    """,
    "cert request": """
    Usage: tappet cert request [--config FILE] [--private-key FILE] [--name NAME] [--dns NAME,…] [--out FILE] [--force]

    Makes a key (P-256, mode 0600) where there is none, and a request for its certificate: common name NAME (the client id),
    for signing and client authentication. The key never leaves the board, and one that is there is never replaced; --force
    replaces the request, without a question. 'tappet cert import FILE' takes what the CA sends back.
    Example: tappet cert request --out kiosk.csr
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
    A tag that knows no password is written in spite of --protect and works; it ends with 1, for anybody can rewrite the tag.
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
    Usage: tappet secret list [--json]
           tappet secret new ACTION [--label LABEL]
           tappet secret share ID [--url | --out FILE.png|FILE.svg]
           tappet secret import [--file FILE | --image FILE | --tag] [--action NAME] [--label LABEL]
           tappet secret rename ID LABEL
           tappet secret remove ID
           tappet secret rekey

    An action has at most three secrets. A running kiosk is asked to do it, and what changed acts at once; 'tappet audit'
    lists who did what. Root and the kiosk's own user may see keys ('share'), others of its group may not. ID may be cut
    short as long as only one begins so.
    """,
    "secret list": """
    Usage: tappet secret list [--config FILE] [--json]

    Lists id, action, index, creation, uses and label of each secret; never the key.
    """,
    "secret new": """
    Usage: tappet secret new [--config FILE] [--label LABEL] ACTION

    Makes a secret without a tag; 'tappet secret share' gives it to a phone or another kiosk.
    """,
    "secret share": """
    Usage: tappet secret share [--config FILE] [--url | --out FILE] ID

    Shows the secret as a QR code for a minute, or until a key is pressed; then the terminal is cleared. The code holds the
    key: who photographs it can make tags.

      --url       print the share URL and nothing else
      --out FILE  draw the code into a new file, 0600: PNG or SVG by its name
    """,
    "secret import": """
    Usage: tappet secret import [--config FILE] [--file FILE | --image FILE | --tag [--timeout SECONDS]]
                                [--action NAME] [--label LABEL]

    Takes a share URL (smpshare://secret?…) from standard input and lets its tags act. On a terminal what is typed, or what
    a USB scanner types, is not shown. It is refused when its action is not configured (or is not NAME), when it is there
    already, and when the action has three.

      --file FILE   from a file's first line
      --image FILE  from a picture or photo of the QR code, by zbarimg (package zbar-tools)
      --tag         from a tag of the older form, which carries its key
    Example: wl-paste | tappet secret import --label 'Front door'
    """,
    "secret rename": """
    Usage: tappet secret rename [--config FILE] ID LABEL

    Gives a secret another label; '' takes it away.
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
    broker already, its answer outstanding, stays, and is said. --json prints how many were "dropped" and "sent". Exit status
    1: there is no such entry, or it is with the broker.
    """,
    "outbox export": """
    Usage: tappet outbox export [--config FILE] [--json] FILE

    Writes every entry as a JSON object a line to FILE, which must not exist yet (mode 0600). The outbox keeps them. --json
    prints how many were "exported".
    """,
    "secret rekey": """
    Usage: tappet secret rekey [--config FILE]

    Seals everything in the state folder under a new key and replaces tappet.key. Where the service manager gives the key,
    give it the new one as tappet.key, the old one as tappet.key.old, and restart the kiosk.
    """,
    "audit": """
    Usage: tappet audit [--config FILE] [--json]

    Lists who made, imported, shared, renamed or removed a secret, and when: the last thousand deeds.
    """,
    "backup": """
    Usage: tappet backup [--config FILE] [--passphrase-file FILE] FILE

    Writes all secrets, the stored timestamp key and tag passwords into a new FILE, sealed under a passphrase. It holds
    neither the outbox nor kiosk.yaml and the files that are named in it.
    """,
    "restore": """
    Usage: tappet restore [--config FILE] [--passphrase-file FILE] [--yes] FILE

    Puts what is in a backup in the place of everything that is sealed here, all of it or nothing; asks before, unless
    --yes. The kiosk must not run. A lost tappet.key is made anew.
    """,
    "token": """
    Usage: tappet token seal [--key-file FILE] [--time SECONDS]
           tappet token open [--key-file FILE] [--json] TOKEN
           tappet token key [--key-file FILE]
    """,
    "token key": """
    Usage: tappet token key [--config FILE] [--key-file FILE]

    Stores the timestamp key sealed, for 'timestamp_key: {stored: true}', from standard input (not shown on a terminal) or
    from a file that only its owner can read: 32, 48 or 64 hex digits. A running kiosk takes it over at once.
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
