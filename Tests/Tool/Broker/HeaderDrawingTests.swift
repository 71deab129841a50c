// The header as `tappet check` draws it.

import Foundation
import TappetCore
import Testing
import TestSupport

@testable import TappetKioskTool

@Suite struct HeaderDrawingTests {
  private static let uses = [
    HeaderUse(pin: 11, label: "LED status", problem: nil),
    HeaderUse(pin: 13, label: "LED result", problem: nil),
    HeaderUse(pin: 29, label: "button light", problem: nil),
    HeaderUse(pin: 6, label: "button garage", problem: "pin 6 is GND, no line for lights and buttons"),
    HeaderUse(pin: 40, label: "button scene", problem: "GPIO21 is in use by 'gpiomon'"),
  ]

  @Test func `a wired Raspberry Pi is drawn with left and right as on the board`() throws {
    let lines = HeaderDrawing.lines(profile: try Headers.profile("raspberry-pi"), uses: Self.uses, colour: false)
    let expected = """
      Raspberry Pi (40 pins), J8
                                         ┌───────────┐
                                    3V3  │  1 · ·  2 │  5V
                        I2C1 SDA  GPIO2  │  3 ○ ·  4 │  5V
                        I2C1 SCL  GPIO3  │  5 ○ !  6 │  GND ── button garage
                          GPCLK0  GPIO4  │  7 ○ ○  8 │  GPIO14  UART TX
                                    GND  │  9 · ○ 10 │  GPIO15  UART RX
                   LED status ── GPIO17  │ 11 ● ○ 12 │  GPIO18  PCM CLK
                   LED result ── GPIO27  │ 13 ● · 14 │  GND
                                 GPIO22  │ 15 ○ ○ 16 │  GPIO23
                                    3V3  │ 17 · ○ 18 │  GPIO24
                      SPI0 MOSI  GPIO10  │ 19 ○ · 20 │  GND
                       SPI0 MISO  GPIO9  │ 21 ○ ○ 22 │  GPIO25
                      SPI0 SCLK  GPIO11  │ 23 ○ ○ 24 │  GPIO8  SPI0 CE0
                                    GND  │ 25 · ○ 26 │  GPIO7  SPI0 CE1
        the HAT's EEPROM (ID_SD)  GPIO0  │ 27 · · 28 │  GPIO1  the HAT's EEPROM (ID_SC)
                  button light ── GPIO5  │ 29 ● · 30 │  GND
                                  GPIO6  │ 31 ○ ○ 32 │  GPIO12  PWM0
                           PWM1  GPIO13  │ 33 ○ · 34 │  GND
                         PCM FS  GPIO19  │ 35 ○ ○ 36 │  GPIO16
                                 GPIO26  │ 37 ○ ○ 38 │  GPIO20  PCM DIN
                                    GND  │ 39 · ! 40 │  GPIO21 ── button scene
                                         └───────────┘

      ● wired   ! wrong   ○ free   · power, ground, or not for lights and buttons
      ! button garage: pin 6 is GND, no line for lights and buttons
      ! button scene: GPIO21 is in use by 'gpiomon'
      """.replacingOccurrences(of: "\n\n", with: "\n\u{0}\n").split(separator: "\n").map {
        $0 == "\u{0}" ? "" : String($0)
      }
    #expect(lines == expected)
  }

  @Test func `colours change nothing but the colours`() throws {
    for name in Headers.names {
      let profile = try Headers.profile(name)
      let plain = HeaderDrawing.lines(profile: profile, uses: Self.uses, colour: false)
      let coloured = HeaderDrawing.lines(profile: profile, uses: Self.uses, colour: true)
      #expect(plain != coloured)
      #expect(!plain.joined().contains("\u{1B}"))
      #expect(coloured.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") } == plain)
      #expect(plain.allSatisfy { $0.unicodeScalars.count <= 100 }, "\(name)")
    }
  }

  @Test func `every line of the box has its borders in the same columns`() throws {
    for name in Headers.names {
      let lines = HeaderDrawing.lines(profile: try Headers.profile(name), uses: Self.uses, colour: false)
      var columns: Set<[Int]> = []
      for line in lines {
        let scalars = Array(line.unicodeScalars)
        let sides = scalars.indices.filter { "│┌┐└┘".unicodeScalars.contains(scalars[$0]) }
        if sides.isEmpty { columns = [] } else { columns.insert(sides) }
        #expect(columns.count <= 1, "\(line)")
      }
    }
  }

  @Test func `two things on one pin, and a thing on a missing pin, are both reported`() throws {
    let uses = [
      HeaderUse(pin: 812, label: "LED a", problem: nil),
      HeaderUse(pin: 812, label: "button b", problem: "it is already used by another button or light"),
      HeaderUse(pin: 12, label: "LED c", problem: "the header has no such pin"),
      HeaderUse(pin: 901, label: "LED with a name that is far too long to be drawn", problem: nil),
    ]
    let text = HeaderDrawing.lines(profile: try Headers.profile("beaglebone-black"), uses: uses, colour: false)
    #expect(text.contains { $0.hasSuffix("│ 811 ○ ! 812 │  P8_12 ── LED a, button b") })
    #expect(text.contains("! LED c: the header has no such pin"))
    #expect(text.contains { $0.contains("LED with a name that is far… ── GND  │ 901 ● · 902 │  GND") })
    #expect(text.filter { $0.hasPrefix("BeagleBone Black, P") }.count == 2)
  }
}
