// For iOS 15 and macOS 12 or newer (docs/your-app.md). It is not compiled here.
import Foundation

struct Campaign: Decodable { let id: String; let name: String; let distance: Double }
struct Coupon: Decodable { let id: String; let name: String }
struct Group: Decodable { let group_id: String; let group_name: String; let last_message: String; let last_message_time: String }
struct Answer<Items: Decodable>: Decodable { let status: Bool; let items: Items?; let errorCode: String?; let message: String? }
struct Frame: Decodable { let type: String; let what: [String]? }

struct Refused: Error { let errorCode: String?; let message: String? }

struct Loyalty {
  let url = URL(string: "http://127.0.0.1:8787/api/v1/customer/")!
  let liveUrl = URL(string: "ws://127.0.0.1:8787/api/v1/customer/live")!
  let token: String

  /// The items of an answer, and the address of its next page.
  func page<Item: Decodable>(_ target: URL, body: Data? = nil) async throws -> (items: [Item], next: URL?) {
    var request = URLRequest(url: target)
    request.httpMethod = body == nil ? "GET" : "POST"
    request.httpBody = body
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = response as? HTTPURLResponse
    if let http, [429, 503].contains(http.statusCode),
      let seconds = http.value(forHTTPHeaderField: "Retry-After").flatMap({ UInt64($0) }), seconds <= 300 {
      try await Task.sleep(nanoseconds: seconds * 1_000_000_000)
      return try await page(target, body: body)
    }
    let answer = try JSONDecoder().decode(Answer<[Item]>.self, from: data)
    guard answer.status || answer.errorCode == "NO_ITEMS" else {
      throw Refused(errorCode: answer.errorCode, message: answer.message)
    }
    let link = http?.value(forHTTPHeaderField: "Link") ?? ""
    let next = link.components(separatedBy: ",").first { $0.contains("rel=\"next\"") }
    let address = next?.components(separatedBy: CharacterSet(charactersIn: "<>"))[1]
    return (answer.items ?? [], address.flatMap { URL(string: $0, relativeTo: target) })
  }

  func campaigns() async throws -> [Campaign] {
    let fields: [String: Any] = ["latitude": 35.68, "longitude": 139.76, "single_account_id": "101"]
    let body = try JSONSerialization.data(withJSONObject: fields)
    return try await page(URL(string: "campaigns/near-by-popular-campaigns", relativeTo: url)!, body: body).items
  }

  /// The items of a list, from all of its pages.
  func all<Item: Decodable>(_ list: URL) async throws -> [Item] {
    var items: [Item] = []
    var next: URL? = list
    while let target = next {
      let one: (items: [Item], next: URL?) = try await page(target)
      items += one.items
      next = one.next
    }
    return items
  }

  func coupons() async throws -> [Coupon] {
    try await all(URL(string: "coupons", relativeTo: url)!)
  }

  /// All groups with a message after this time.
  func messages(after checkTime: String) async throws -> [Group] {
    var query = URLComponents(url: URL(string: "messages", relativeTo: url)!, resolvingAgainstBaseURL: true)!
    query.queryItems = [URLQueryItem(name: "check_time", value: checkTime)]
    return try await all(query.url!)
  }

  /// Reports changed data until the task is cancelled.
  func follow(onCoupons: ([Coupon]) -> Void, onMessages: ([Group]) -> Void) async throws {
    var checkTime = ""
    var failures = 0
    while !Task.isCancelled {
      var request = URLRequest(url: liveUrl)
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      let socket = URLSession.shared.webSocketTask(with: request)
      socket.resume()
      defer { socket.cancel(with: .goingAway, reason: nil) }
      var wasOpen = false
      do {
        while !Task.isCancelled {
          guard case .string(let text) = try await socket.receive() else { continue }
          let frame = try JSONDecoder().decode(Frame.self, from: Data(text.utf8))
          wasOpen = true
          let what = frame.type == "hello" ? ["coupons", "messages"] : frame.what ?? []
          if what.contains("coupons") { onCoupons(try await coupons()) }
          if what.contains("messages") {
            for wait in [0, 300, 1_000, 2_000] {
              try await Task.sleep(nanoseconds: UInt64(wait) * 1_000_000)
              let groups = try await messages(after: checkTime)
              checkTime = groups.map(\.last_message_time).max() ?? checkTime
              if groups.isEmpty && frame.type == "changed" { continue }
              onMessages(groups)
              break
            }
          }
        }
      } catch let error where !(error is CancellationError) {
        // The error is a URLError, or a POSIXError if the service closed the socket.
        failures = wasOpen ? 0 : failures + 1
        let longestWait = wasOpen ? 30 : min(pow(2, Double(failures - 1)), 60)
        try await Task.sleep(nanoseconds: UInt64(Double.random(in: 0...longestWait) * 1_000_000_000))
      }
    }
  }
}
