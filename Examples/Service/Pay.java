// usage: java Pay.java SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
import java.net.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.*; import java.util.regex.*;

class Pay {
    static final Map<String, Integer> EXITS = Map.of("paid", 0, "refused", 1, "returned", 1, "action-required", 4, "pending", 4,
        "returning", 4, "authorized", 6, "partly-authorized", 6, "partly-paid", 6, "partly-returned", 6);
    static void finish(String text, int status) { System.out.println(text); Runtime.getRuntime().halt(status); }
    public static void main(String[] words) throws Exception {
        var seconds = Double.parseDouble(System.getenv().getOrDefault("TIMEOUT", "90"));
        new Timer(true).schedule(new TimerTask() { public void run() { finish("unknown", 5); } }, (long) (1000 * seconds));
        SocketChannel service = null; String body = "", answer = ""; // Java has no JSON, so the files are sent as they are.
        try {
            body = "{\"gateway\":\"" + words[1] + "\",\"token\":" + Files.readString(Path.of(words[2])) + ",\"order\":" + Files.readString(Path.of(words[3])) + "}";
            service = SocketChannel.open(UnixDomainSocketAddress.of(words[0]));
        } catch (Exception error) { finish("not sent: " + error, 3); }
        try (var in = Channels.newInputStream(service)) {
            for (var part = ByteBuffer.wrap(("POST /v1/pay HTTP/1.1\r\nHost: paytoken\r\nPaytoken-Request: true\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.getBytes("UTF-8").length + "\r\n\r\n" + body).getBytes("UTF-8")); part.hasRemaining();) service.write(part);
            answer = new String(in.readAllBytes(), "UTF-8");
        } catch (Exception error) { finish("unknown", 5); } // The order may be paid: send it again, or ask for its outcome.
        var found = Pattern.compile("(?s)HTTP/1\\.1 (\\d{3}) .*\r\n\r\n.*\"(outcome|message)\":\"([^\"]*)\".*}\\s*").matcher(answer);
        if (!found.matches()) finish("unknown", 5);
        finish(found.group(3), switch (found.group(1)) { case "200" -> EXITS.getOrDefault(found.group(3), 5); case "422" -> 1; case "503" -> 3; default -> found.group(1).startsWith("4") ? 2 : 5; });
    }
}
