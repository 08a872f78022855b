// With com.squareup.okhttp3:okhttp 4 or 5, and org.json, which Android has (docs/your-app.md). It is not compiled here.
import java.io.IOException
import java.util.concurrent.TimeUnit
import okhttp3.*
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.RequestBody.Companion.toRequestBody
import org.json.JSONArray
import org.json.JSONObject

class Loyalty(private val token: String, address: String = "http://127.0.0.1:8787/api/v1/customer/") {
  private val url = address.toHttpUrl()
  private val http = OkHttpClient.Builder().pingInterval(45, TimeUnit.SECONDS).build()
  private var checkTime = ""

  private fun request(target: HttpUrl) = Request.Builder().url(target).header("Authorization", "Bearer $token")

  /** The items of an answer, and the address of its next page. */
  private fun page(request: Request): Pair<List<JSONObject>, HttpUrl?> {
    val seconds = http.newCall(request).execute().use { response ->
      val retryAfter = response.header("Retry-After")?.toLongOrNull()
      if (retryAfter != null && retryAfter <= 300 && response.code in setOf(429, 503)) return@use retryAfter
      val answer = JSONObject(response.body!!.string())
      if (!answer.getBoolean("status") && answer.optString("errorCode") != "NO_ITEMS")
        throw IOException("${response.code}: $answer")
      val items = answer.optJSONArray("items") ?: JSONArray()
      val next = Regex("<([^>]+)>; rel=\"next\"").find(response.header("Link") ?: "")
      return Pair((0 until items.length()).map(items::getJSONObject), next?.let { request.url.resolve(it.groupValues[1]) })
    }
    Thread.sleep(seconds * 1_000)
    return page(request)
  }

  fun campaigns(): List<JSONObject> {
    val body = JSONObject(mapOf("latitude" to 35.68, "longitude" to 139.76, "single_account_id" to "101"))
    val target = url.resolve("campaigns/near-by-popular-campaigns")!!
    return page(request(target).post(body.toString().toRequestBody()).build()).first
  }

  /** The items of a list, from all of its pages. */
  private fun all(list: HttpUrl): List<JSONObject> {
    val all = mutableListOf<JSONObject>()
    var next: HttpUrl? = list
    while (next != null) {
      val (items, after) = page(request(next).build())
      all += items
      next = after
    }
    return all
  }

  fun coupons(): List<JSONObject> = all(url.resolve("coupons")!!)

  /** All groups with a message since the last call. */
  fun messages(): List<JSONObject> {
    val groups = all(url.newBuilder("messages")!!.addQueryParameter("check_time", checkTime).build())
    checkTime = groups.maxOfOrNull { it.getString("last_message_time") } ?: checkTime
    return groups
  }

  /** The new messages after a frame with `messages`. Asks again if there are none yet, because a replica may be behind. */
  fun messagesAfterFrame(): List<JSONObject> =
    listOf(0L, 300L, 1_000L, 2_000L).firstNotNullOfOrNull { wait ->
      Thread.sleep(wait)
      messages().ifEmpty { null }
    } ?: emptyList()

  /** Calls `onChange` with the changed data. Also call messages() once a minute. Close the socket when the app goes to the background. */
  fun follow(onChange: (Set<String>) -> Unit, onClosed: (wasOpen: Boolean) -> Unit): WebSocket =
    http.newWebSocket(request(url.resolve("live")!!).build(), object : WebSocketListener() {
      private var wasOpen = false
      override fun onMessage(webSocket: WebSocket, text: String) {
        val frame = JSONObject(text)
        wasOpen = true
        if (frame.getString("type") == "hello") return onChange(setOf("coupons", "messages", "balance"))
        val what = frame.getJSONArray("what")
        onChange((0 until what.length()).map(what::getString).toSet())
      }
      // OkHttp does not close its side by itself after the service has closed the socket.
      override fun onClosing(webSocket: WebSocket, code: Int, reason: String) { webSocket.close(1000, null) }
      // Call follow() again after a random wait, as docs/your-app.md says.
      override fun onFailure(webSocket: WebSocket, t: Throwable, response: Response?) = onClosed(wasOpen)
      override fun onClosed(webSocket: WebSocket, code: Int, reason: String) = onClosed(wasOpen)
    })
}
