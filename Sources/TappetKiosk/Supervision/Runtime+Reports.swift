// The core's reports and lights on their way to the log, the observers, the tool and the page.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  func show(_ light: Light, at now: Instant) {
    panel.show(light, at: now)
    observers.onLight?(light)
    control.server?.broadcast { _ in .object(["light": .string(light.name), "at_ns": .number(now.nanoseconds)]) }
    showOnPage(light, at: now)
  }

  func tell(_ report: Report, at now: Moment) {
    if configuration.historyAge != nil, let (row, mayWait) = TapRecord.row(of: report, configuration, at: now) {
      store.thread.submit(.recordTap(row, mayWait: mayWait))
    }
    if report.isOneOfMany { return observers.recordQuietly(report, configuration) }
    let record = LogRecord(report, configuration)
    observers.note(report, record, at: now)
    log(record, of: report)
    showOnPage(report, at: now)
    if report.isOfState { control.server?.broadcast { view.json(maySeeKeys: $0) } }
  }

  func log(_ record: LogRecord, of report: Report? = nil) {
    observers.log(record)
    if configuration.web != nil { page.keep(record, at: SystemClock().now().unixMilliseconds) }
    control.server?.broadcast { maySeeKeys in
      guard case .object(var members) = record.json(maySeeKeys: maySeeKeys) else { return .null }
      let facts: KeyValuePairs<String, JSON> = [
        "time": .time(unixMilliseconds: SystemClock().now().unixMilliseconds),
        "person": .optional(report?.person?.name), "by": .optional(report?.by),
        "trigger": .optional(report?.trigger?.name),
      ]
      for (name, value) in facts where !members.contains(where: { $0.name == name }) {
        members.append(JSON.Member(name: name, value: value))
      }
      return .object(members)
    }
  }
}
