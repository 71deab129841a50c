// Lists in pages: an answer has room for a part of a list, and names the position of the rest.
//
//     {"request":"person-list","from":0}    {"people":[…],"next":370}

import TappetCore
import TappetJSON

extension SecretService {
  /// The page of a list that begins at the request's `from`, as the member `name`; `next` is where the following one
  /// begins, or null.
  func page<Element>(
    _ elements: [Element], _ name: String, _ request: SecretRequest, _ others: [JSON.Member] = [],
    json: (Element) -> JSON
  ) -> SecretAnswer {
    let from = min(max(0, Int(clamping: request.json["from"]?.wholeNumber ?? 0)), elements.count)
    var page: [JSON] = []
    var room = answerSizeMax - Limits.answerReserve
    for element in elements[from...] {
      let json = json(element)
      room -= json.encoded().count + 1
      if room < 0, !page.isEmpty { break }
      page.append(json)
    }
    let next = from + page.count
    return SecretAnswer(
      json: .object(
        [
          JSON.Member(name: name, value: .array(page)),
          JSON.Member(name: "next", value: next < elements.count ? .number(Int64(next)) : .null),
        ] + others))
  }
}
