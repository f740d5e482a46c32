// javac -d classes Run.java Verifier.java && java -cp classes Run CASES > ANSWERS
//
// Calls the method verify of the class Verifier for each case, and writes the answers that `paytoken-testing conform --check` judges:
//
//     static String verify(byte[] token, Instant now) throws Exception
//
// token is the body of the request, byte for byte, and now the time of its receipt. The method returns the decrypted payment data
// as JSON. It throws if it refuses the token; every Exception, and too deep a recursion, counts as a refusal.
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Run {
    public static void main(String[] words) throws Exception {
        if (words.length != 1) {
            System.err.println("usage: java -cp classes Run CASES > ANSWERS");
            System.exit(2);
        }
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        int accepted = 0;
        Map<String, Integer> refusals = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of(words[0]))) {
            String id = member(line, "id");
            byte[] token = Base64.getDecoder().decode(member(line, "tokenBase64"));
            Instant now = Instant.parse(member(line, "now"));
            try {
                String payment = Verifier.verify(token, now);
                // An answer is one line.
                payment = payment.replace('\r', ' ').replace('\n', ' ');
                answers.print("{\"id\":\"" + id + "\",\"status\":\"ok\",\"paymentData\":" + payment + "}\n");
                accepted += 1;
            } catch (Exception | StackOverflowError refusal) {
                answers.print("{\"id\":\"" + id + "\",\"status\":\"error\"}\n");
                refusals.merge(refusal.getClass().getName(), 1, Integer::sum);
            }
        }
        answers.flush();
        System.err.println("accepted: " + accepted);
        refusals.forEach((kind, count) -> System.err.println("refused with " + kind + ": " + count));
    }

    // Java has no JSON; these three members of a case are texts without escapes, and come before its objects.
    private static String member(String line, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"\\\\]*)\"").matcher(line);
        if (!found.find()) throw new IllegalArgumentException("a case without " + name);
        return found.group(1);
    }
}
