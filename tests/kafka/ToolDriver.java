import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs the main methods of Kafka's tools one after another in one JVM, since starting one for each costs seconds.
 *
 * A line of standard input is a command, {"tool": class, "arguments": [...], "input": text}; a line of standard output
 * is what came of it, {"code": exit code, "output": text, "errors": text}. Tools end by Exit.exit; here that throws, and
 * since some tools catch whatever is thrown, the first code that they name is the one that counts.
 */
public class ToolDriver {
    private static final int RUNNING = -1;
    private static volatile int code;

    private static class Ended extends RuntimeException {
    }

    public static void main(String[] unused) throws Exception {
        PrintStream answers = System.out;
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ObjectMapper json = new ObjectMapper();
        List<Runnable> hooks = Collections.synchronizedList(new ArrayList<>());
        Exit.setExitProcedure((given, message) -> end(given));
        Exit.setHaltProcedure((given, message) -> end(given));
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
            run(json.readTree(line));
            hooks.forEach(Runnable::run);
            hooks.clear();
            ObjectNode answer = json.createObjectNode();
            answer.put("code", code);
            answer.put("output", output.toString(StandardCharsets.UTF_8));
            answer.put("errors", errors.toString(StandardCharsets.UTF_8));
            answers.println(json.writeValueAsString(answer));
            answers.flush();
        }
    }

    private static void end(int given) {
        if (code == RUNNING) {
            code = given;
        }
        throw new Ended();
    }

    private static void run(JsonNode command) {
        List<String> arguments = new ArrayList<>();
        command.get("arguments").forEach(argument -> arguments.add(argument.asText()));
        System.setIn(new ByteArrayInputStream(command.get("input").asText().getBytes(StandardCharsets.UTF_8)));
        code = RUNNING;
        int atTheEnd = 0;
        try {
            Class.forName(command.get("tool").asText())
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments.toArray(new String[0]));
        } catch (InvocationTargetException failure) {
            if (!(failure.getCause() instanceof Ended)) {
                failure.getCause().printStackTrace();
                atTheEnd = 1;
            }
        } catch (ReflectiveOperationException failure) {
            failure.printStackTrace();
            atTheEnd = 1;
        }
        if (code == RUNNING) {
            code = atTheEnd;
        }
    }
}
