// Paged lists: a response contains part of a list, and the position of the next part.
//
//     {"request":"person-list","from":0}    {"people":[…],"next":370}

import TappetCore
import TappetJSON

extension SecretWork {
  /// Returns the page of a list that starts at `from`, as the member `name`; `next` is the start of the following page,
  /// or null.
  func page<Element>(
    _ elements: [Element], _ name: String, from: Int64, _ others: [JSON.Member] = [],
    json: (Element) -> JSON
  ) -> SecretAnswer {
    let from = min(max(0, Int(clamping: from)), elements.count)
    var page: [JSON] = []
    var room = service.answerSizeMax - Limits.answerReserve
    for element in elements[from...] {
      let json = json(element)
      room -= json.encoded().count + 1
      if room < 0, !page.isEmpty { break }
      page.append(json)
    }
    let next = from + page.count
    return SecretAnswer(
      .object(
        [
          JSON.Member(name: name, value: .array(page)),
          JSON.Member(name: "next", value: next < elements.count ? .number(Int64(next)) : .null),
        ] + others))
  }
}
