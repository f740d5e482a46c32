// usage: java Decrypt.java SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
import java.net.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.*; import java.util.regex.*;

class Decrypt {
    static void finish(String text, int status) { System.out.println(text); Runtime.getRuntime().halt(status); }
    public static void main(String[] words) throws Exception {
        var seconds = Double.parseDouble(System.getenv().getOrDefault("TIMEOUT", "70"));
        new Timer(true).schedule(new TimerTask() { public void run() { finish("unknown", 5); } }, (long) (1000 * seconds));
        SocketChannel service = null; String body = "", answer = ""; // Java has no JSON, so the files are sent as they are.
        try {
            body = "{\"claim\":true,\"reveal\":true,\"token\":" + Files.readString(Path.of(words[1])) + ",\"order\":" + Files.readString(Path.of(words[2])) + "}";
            service = SocketChannel.open(UnixDomainSocketAddress.of(words[0]));
        } catch (Exception error) { finish("not sent: " + error, 3); }
        try (var in = Channels.newInputStream(service)) {
            for (var part = ByteBuffer.wrap(("POST /v1/decrypt HTTP/1.1\r\nHost: paytoken\r\nPaytoken-Request: true\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.getBytes("UTF-8").length + "\r\n\r\n" + body).getBytes("UTF-8")); part.hasRemaining();) service.write(part);
            answer = new String(in.readAllBytes(), "UTF-8");
        } catch (Exception error) { finish("unknown", 5); } // The token may be claimed now: let the customer confirm again.
        var found = Pattern.compile("(?s)HTTP/1\\.1 (\\d{3}) .*?\r\nContent-Length: (\\d+)\r\n.*?\r\n\r\n(.*\"(message\":\"([^\"]*)\"|claimed\":true).*)").matcher(answer);
        if (!found.matches() || found.group(3).getBytes("UTF-8").length != Integer.parseInt(found.group(2))) finish("unknown", 5);
        var isClaimed = found.group(1).equals("200");
        if (isClaimed == (found.group(5) != null)) finish("unknown", 5);
        finish(isClaimed ? found.group(3).strip() : found.group(5), switch (found.group(1)) { case "200" -> 0; case "422" -> 1; case "503" -> 3; default -> found.group(1).startsWith("4") ? 2 : 5; });
    }
}
