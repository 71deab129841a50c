// Limits of `tappet cert enrol`.

extension Limits {
  /// Default time limit of an enrolment.
  package static let enrolmentMax: Duration = .seconds(60)
  /// First ceiling of the backoff while AWS IoT is throttling.
  package static let enrolmentPauseMin: Duration = .seconds(1)
  /// Last ceiling of the backoff while AWS IoT is throttling.
  package static let enrolmentPauseMax: Duration = .seconds(30)
  /// Maximum number of seconds by which a CA's clock may be ahead of the local clock.
  package static let enrolmentClockLeewaySeconds: Int64 = 300
  /// Pause before a request to an EST server is retried, if the server does not specify one.
  package static let estRetryDefault: Duration = .seconds(10)
  /// Maximum length of an HTTP password, in bytes.
  ///
  /// Together with the user name, it has to fit into a header in Base64, which takes four bytes for three.
  package static let estPasswordSizeMax = 1024
  /// Maximum length of the text of an EST server's error that is shown, in bytes.
  package static let estReasonSizeMax = 200
}
