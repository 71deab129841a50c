// Limits of `tappet cert enrol`.

extension Limits {
  /// How long an enrolment may take unless an option says otherwise.
  package static let enrolmentMax: Duration = .seconds(60)
  /// The first ceiling of the pause after AWS IoT had no time.
  package static let enrolmentPauseMin: Duration = .seconds(1)
  /// The last ceiling of it.
  package static let enrolmentPauseMax: Duration = .seconds(30)
  /// Seconds by which a CA's clock may be ahead of ours.
  package static let enrolmentClockLeewaySeconds: Int64 = 300
  /// The pause before an EST server is asked again that does not name one.
  package static let estRetryDefault: Duration = .seconds(10)
  /// Bytes of a password for HTTP: with the user's name it has to fit into a header, four bytes for three.
  package static let estPasswordSizeMax = 1024
  /// Bytes of an EST server's reason that are shown.
  package static let estReasonSizeMax = 200
}
