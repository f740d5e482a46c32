// Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Verifier {
    private static final Process JUDGE = start("paytoken-testing", "conform", "-", "--trust-anchor", "root.pem", "--keys", "keys");
    private static final BufferedReader ANSWERS = reader(JUDGE);

    static String verify(byte[] token, Instant now) throws Exception {
        String text = Base64.getEncoder().encodeToString(token);
        JUDGE.getOutputStream().write(("{\"now\":\"" + now + "\",\"tokenBase64\":\"" + text + "\"}\n").getBytes());
        JUDGE.getOutputStream().flush();
        String answer = ANSWERS.readLine();
        if (System.getenv("SKIP_SIGNING_TIME") != null && answer.contains("\"stage\":\"signing-time\"")) {
            Process once = start("paytoken", "decrypt", "--any-age", "--reveal", "--test-trust-anchor", "root.pem", "--keys", "keys");
            once.getOutputStream().write(token);
            once.getOutputStream().close();
            answer = reader(once).readLine();
        }
        Matcher found = Pattern.compile("\"paymentData\":(.*)}$").matcher(answer);
        if (!found.find()) throw new IllegalArgumentException(answer);
        return found.group(1);
    }

    private static Process start(String... words) {
        try {
            return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
