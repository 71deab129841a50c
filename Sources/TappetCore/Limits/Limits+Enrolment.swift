// Limits of `tappet cert enrol`.

extension Limits {
  /// Default time limit of an enrolment.
  package static let enrolmentMax: Duration = .seconds(60)
  /// First ceiling of the backoff while AWS IoT is throttling.
  package static let enrolmentPauseMin: Duration = .seconds(1)
  /// Last ceiling of the backoff while AWS IoT is throttling.
  package static let enrolmentPauseMax: Duration = .seconds(30)
  /// Seconds by which a CA's clock may be ahead of ours.
  package static let enrolmentClockLeewaySeconds: Int64 = 300
  /// Pause before a request to an EST server is retried, if the server does not specify one.
  package static let estRetryDefault: Duration = .seconds(10)
  /// Bytes of an HTTP password: with the user's name it has to fit into a header, with four bytes for three.
  package static let estPasswordSizeMax = 1024
  /// Bytes of an EST server's reason that are shown.
  package static let estReasonSizeMax = 200
}
