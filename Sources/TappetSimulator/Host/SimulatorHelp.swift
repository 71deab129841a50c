/// The text of `--help`.

extension SimulatorCommandLine {
  /// Usage, commands and exit codes.
  static var help: String {
    """
    Usage: tappet-sim --link PATH --control PATH [--panel PATH] [--pace on|off] [--try MS]
                  [--trace FILE]
           tappet-sim ctl CONTROL-PATH COMMAND...

    Plays an NFC reader chip (PN532) on a pseudo-terminal, with virtual tags and a virtual panel. libnfc opens it as
    pn532_uart:PATH. It prints one line, 'ready PATH', when it can be used, and ends at SIGTERM, SIGINT or 'quit'.

      --link PATH     symbolic link to the pseudo-terminal
      --control PATH  Unix stream socket for the commands below, one a line
      --panel PATH    Unix seqpacket socket that the kiosk connects to as its panel
      --pace on|off   play the times of transmission on the line and in the air (on), or only those of waiting (off)
      --try MS        the time of one try to find a tag, which differs from chip to chip (4.25 ms unless given)
      --trace FILE    append every byte on the line: time, > from the host or < to it, hexadecimal
      --help, --version

    Commands. The answer is 'ok ...' or 'error ...'; where it is a list, lines and then a lone full stop.
      place MODEL [uid=HEX] [url=URL | ndef=HEX | memory=HEX | empty | blank] [readonly] [locked] [password=HEX]
            [size=BYTES] [container=HEX] [slow=MS] [stays=N]
                      MODEL: ntag213 ntag215 ntag216 ntag203 ultralight ultralight-ev1-48 ultralight-ev1-128
                      type4 ntag424 classic desfire; size: what a type4's container claims; slow: for each answer;
                      stays: it leaves when it has answered N exchanges
      beside MODEL... a second tag lies beside it
      back            the tag that was taken away last is there again, as it was left
      take            the tag leaves
      take after N    it leaves when it has answered N exchanges more
      corrupt N       the N-th answer of a tag from now on has a wrong bit
      chip-corrupt [checksum|status]
                      the chip's next answer has a wrong checksum, or bit 7 set in its status byte
      stall on|off    the chip is deaf, or hears again
      stall after N   it is deaf after N commands more
      unplug, plug    the line hangs up; a new one takes its place
      brownout        everything answers, but no tag is found before the chip is set up again
      counters        exchanges, selections, writes, commands by code (a list)
      reset-counters
      dump            the tag's memory
      lights          what the panel showed since 'lights clear': NAME ARRIVED SENT, in ns of CLOCK_BOOTTIME (a list)
      lights clear
      lights wait NAME MS
                      answers when NAME was shown since 'lights clear'
      leds            each output as it is now: NAME 0|1 (a list)
      levels          how they changed since 'levels clear': NAME 0|1 ARRIVED SENT (a list)
      levels clear
      panel           whether a kiosk is connected
      press BUTTON, release BUTTON
                      by its name, or its line, in the kiosk's configuration
      play TIMES BUTTON
                      presses and releases it by itself; TIMES: milliseconds held, at rest, held and so on, with commas
                      between them; answers when the last one is over
      quit

    Exit codes: 0 done; 1 the command was refused; 2 wrong usage; 3 the system failed.

    """
  }
}
