// HTTP requests and their outcomes as values; HTTPClient performs them.

/// A request to an endpoint.
package struct HTTPCall: Sendable {
  /// Path after the endpoint's URL; `nil` means the URL alone.
  package var path: String?
  /// Method of the request; `nil` means the endpoint's method.
  package var method: WebhookEndpoint.Method?
  package var body: [UInt8]
  package var keepsAnswer: Bool
  /// Maximum size of the response body that is read, in bytes.
  package var answerSizeMax: Int
  /// The timeout for the whole request; `nil` means the endpoint's.
  package var timeout: Duration?

  /// Creates a request that returns the response's status and, if `keepsAnswer` is set, its body.
  @export(interface)
  package init(
    path: String? = nil, method: WebhookEndpoint.Method? = nil, body: [UInt8], keepsAnswer: Bool = false,
    answerSizeMax: Int = Limits.webhookAnswerSizeMax, timeout: Duration? = nil
  ) {
    self.path = path
    self.method = method
    self.body = body
    self.keepsAnswer = keepsAnswer
    self.answerSizeMax = answerSizeMax
    self.timeout = timeout
  }
}

/// The outcome of a completed request.
package enum HTTPOutcome: Sendable {
  /// A response to the request; `body` is the start of its body, if requested.
  case answered(status: UInt16, retryAfter: Duration?, body: [UInt8])
  case failed(TransportError, code: Int32)
}
