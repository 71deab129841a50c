// Access to chips and lines with either major version of libgpiod (CGPIO hides the difference). Makes no decisions.

import CGPIO
import CPlatform
import TappetCore
import TappetPlatform

/// A GPIO chip at the time of its inspection.
package struct GPIOChip: Hashable, Sendable {
  /// Path of the chip's device node, such as `/dev/gpiochip0`, with symbolic links resolved.
  package var path: String
  /// The driver's label for the chip, such as `pinctrl-rp1`.
  package var label: String
  /// The chip's lines, by offset.
  package var lines: [LineInfo]

  /// One line of the chip at the time of its inspection.
  package struct LineInfo: Hashable, Sendable {
    /// The line's name in the device tree; empty if the line has none.
    package var name: String
    /// Whether the line is in use.
    package var isUsed: Bool
    /// Name of the line's user in the kernel; empty if there is none.
    package var consumer: String

    /// Creates a line with this name, used by `consumer`.
    package init(name: String, isUsed: Bool = false, consumer: String = "") {
      self.name = name
      self.isUsed = isUsed
      self.consumer = consumer
    }
  }

  package init(path: String, label: String, lines: [LineInfo]) {
    self.path = path
    self.label = label
    self.lines = lines
  }

  /// Returns the chip whose node is at `path`, with all its lines.
  ///
  /// Throws EACCES if the node exists but this user may not open it, and ENODEV or ENOENT if the chip vanished in the
  /// meantime.
  static func look(at path: String) throws(SystemError) -> GPIOChip {
    var handle: OpaquePointer?
    let code = tp_gpio_chip_open(path, &handle)
    guard code == 0, let chip = handle else { throw SystemError(call: "gpiod_chip_open", code: -code) }
    defer { tp_gpio_chip_close(chip) }
    let count = min(tp_gpio_chip_line_count(chip), Limits.gpioLinesPerChipMax)
    var lines: [LineInfo] = []
    for offset in 0..<count {
      let code = tp_gpio_chip_look(chip, offset)
      guard code == 0 else { throw SystemError(call: "gpiod_chip_get_line_info", code: -code) }
      lines.append(
        LineInfo(
          name: text(tp_gpio_chip_line_name(chip)), isUsed: tp_gpio_chip_line_is_used(chip),
          consumer: text(tp_gpio_chip_line_consumer(chip))))
    }
    return GPIOChip(path: path, label: text(tp_gpio_chip_label(chip)), lines: lines)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}

/// One requested line, released with this object.
final class GPIOLine {
  /// One change of an input's level.
  struct Edge {
    var stampNanoseconds: UInt64
    var isActive: Bool
    /// Whether the kernel dropped edges before this one.
    var followsLost: Bool
  }

  /// Capacity of the kernel's edge queue for a line; if a read returns this many, edges may have been lost.
  static var edgesMax: Int { Int(TP_GPIO_EDGES_MAX) }

  private let handle: OpaquePointer
  private let edges: UnsafeMutablePointer<tp_gpio_edge>

  private init(owning handle: OpaquePointer) {
    self.handle = handle
    edges = .allocate(capacity: GPIOLine.edgesMax)
    edges.initialize(repeating: tp_gpio_edge(), count: GPIOLine.edgesMax)
  }

  deinit {
    edges.deallocate()
    tp_gpio_release(handle)
  }

  /// Requests the line at `offset` of the chip at `path`.
  ///
  /// If `isOn` is `nil`, the line is an input that reports both edges; otherwise, an output that starts at this level.
  static func request(
    path: String, offset: UInt32, _ line: PanelLine, isOn: Bool?
  ) throws(SystemError) -> GPIOLine {
    var handle: OpaquePointer?
    let microseconds = UInt32(clamping: line.debounce.wholeNanoseconds / 1000)
    let code = GPIOPanel.consumer.withCString { consumer in
      var config = tp_gpio_config(
        consumer: consumer, offset: offset, is_output: isOn != nil, is_active_low: line.isActiveLow,
        is_on: isOn ?? false, bias: line.bias.code, drive: line.drive.code,
        debounce_us: isOn == nil ? microseconds : 0)
      return tp_gpio_request(path, &config, &handle)
    }
    guard code == 0, let handle else { throw SystemError(call: "gpiod_request", code: -code) }
    return GPIOLine(owning: handle)
  }

  /// The descriptor of an input, readable while edges are pending.
  var fileDescriptor: Int32 { tp_gpio_fd(handle) }

  /// Whether the kernel performs the requested debouncing.
  var debouncesItself: Bool { tp_gpio_debounces(handle) }

  /// Returns the current level, after active-low inversion.
  func isActive() throws(SystemError) -> Bool {
    let value = tp_gpio_get(handle)
    guard value >= 0 else { throw SystemError(call: "gpiod_get_value", code: -value) }
    return value == 1
  }

  /// Sets an output's level.
  func set(isOn: Bool) throws(SystemError) {
    let code = tp_gpio_set(handle, isOn)
    if code < 0 { throw SystemError(call: "gpiod_set_value", code: -code) }
  }

  /// Returns the pending edges, oldest first and at most `edgesMax`, without blocking.
  func read() throws(SystemError) -> [Edge] {
    let count = tp_gpio_read(handle, edges)
    if count == -EAGAIN || count == -EINTR { return [] }
    guard count >= 0 else { throw SystemError(call: "gpiod_read_edges", code: -count) }
    var result: [Edge] = []
    for index in 0..<Int(count) {
      result.append(
        Edge(
          stampNanoseconds: edges[index].timestamp_ns, isActive: edges[index].is_active,
          followsLost: edges[index].follows_lost))
    }
    return result
  }
}

extension LineBias {
  fileprivate var code: UInt8 {
    let code =
      switch self {
      case .asIs: TP_GPIO_BIAS_AS_IS
      case .disabled: TP_GPIO_BIAS_DISABLED
      case .pullUp: TP_GPIO_BIAS_PULL_UP
      case .pullDown: TP_GPIO_BIAS_PULL_DOWN
      }
    return UInt8(code.rawValue)
  }
}

extension LineDrive {
  fileprivate var code: UInt8 {
    let code =
      switch self {
      case .pushPull: TP_GPIO_PUSH_PULL
      case .openDrain: TP_GPIO_OPEN_DRAIN
      case .openSource: TP_GPIO_OPEN_SOURCE
      }
    return UInt8(code.rawValue)
  }
}
