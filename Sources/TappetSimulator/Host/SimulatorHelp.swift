/// The text of `--help`.

extension SimulatorCommandLine {
  /// Usage, commands and exit codes.
  static var help: String {
    """
    Usage: tappet-sim --link PATH --control PATH [--panel PATH] [--pace on|off] [--try MS]
                  [--trace FILE]
           tappet-sim ctl CONTROL-PATH COMMAND...

    Simulates an NFC reader chip (PN532) on a pseudo-terminal, with virtual tags and a virtual panel. libnfc opens it as
    pn532_uart:PATH. It prints one line, 'ready PATH', when it is ready, and exits on SIGTERM, SIGINT or 'quit'.

      --link PATH     symbolic link to the pseudo-terminal
      --control PATH  Unix stream socket for the commands below, one per line
      --panel PATH    Unix seqpacket socket that the kiosk connects to as its panel
      --pace on|off   simulate transmission times on the line and in the air (on), or only waiting times (off)
      --try MS        duration of one attempt to find a tag, which varies between chips (default: 4.25 ms)
      --trace FILE    append every byte on the line to this file: time, > from or < to the host, hexadecimal
      --help, --version

    Commands. The response is 'ok ...' or 'error ...'; a list is sent as lines followed by a single full stop.
      place MODEL [uid=HEX] [url=URL | ndef=HEX | memory=HEX | empty | blank] [readonly] [locked] [password=HEX]
            [size=BYTES] [container=HEX] [slow=MS] [stays=N]
                      MODEL: ntag213 ntag215 ntag216 ntag203 ultralight ultralight-ev1-48 ultralight-ev1-128
                      type4 ntag424 classic desfire; size: as stated in a type4's container; slow: response delay;
                      stays: the tag leaves after responding to N exchanges
      beside MODEL... place a second tag beside the tag
      back            put back the tag that was removed last, in the state in which it left
      take            remove the tag
      take after N    remove the tag after it has responded to N more exchanges
      corrupt N       flip a bit in the N-th response of a tag from now on
      chip-corrupt [checksum|status]
                      send the chip's next response with a wrong checksum, or with bit 7 of its status byte set
      stall on|off    make the chip ignore all commands, or respond again
      stall after N   make the chip ignore all commands after N more commands
      unplug, plug    hang up the line; replace it with a new line
      brownout        the chip responds to everything, but finds no tag until it is set up again
      counters        show exchanges, selections, writes, and commands by code (a list)
      reset-counters
      dump            show the tag's memory
      lights          show the panel's lights since 'lights clear': NAME ARRIVED SENT, in ns of CLOCK_BOOTTIME (a list)
      lights clear
      lights wait NAME MS
                      respond once NAME has been shown since 'lights clear'
      leds            show the current level of each output: NAME 0|1 (a list)
      levels          show the changes of levels since 'levels clear': NAME 0|1 ARRIVED SENT (a list)
      levels clear
      panel           show whether a kiosk is connected
      press BUTTON, release BUTTON
                      press or release a button, by its name or line in the kiosk's configuration
      open INPUT, close INPUT
                      open or close an input by its name; its level lasts, even while no kiosk is connected
      inputs          show the inputs that are open (a list)
      play TIMES BUTTON
                      press and release a button automatically; TIMES: milliseconds held, released, held and so on,
                      separated by commas; responds when the last one has elapsed
      quit

    Exit codes: 0 done; 1 the command was refused; 2 wrong usage; 3 the system failed.

    """
  }
}
