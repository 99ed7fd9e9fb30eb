/*
 * Statements as an application in Java sends them: jdbc.py starts it with an address of JDBC's and one of the words below,
 * and reads the lines that it prints.
 */
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.util.PSQLException;

public final class Jdbc {
    private static final String TRAIN =
        "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m";
    private static final double[] FLOWER = {5.1, 3.5, 1.4, 0.2};

    /** Rows as lines, with a bar between two columns. */
    private static void print(ResultSet rows) throws SQLException {
        int columns = rows.getMetaData().getColumnCount();

        while (rows.next()) {
            StringBuilder line = new StringBuilder();

            for (int i = 1; i <= columns; i++)
                line.append(i > 1 ? "|" : "").append(rows.getString(i));
            System.out.println(line);
        }
    }

    private static void bare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            print(statement.executeQuery(TRAIN));
            print(statement.executeQuery("SELECT * FROM iris LIMIT 2 TO PREDICT guess USING m"));
        } catch (PSQLException error) {
            System.out.println("hint|" + error.getServerErrorMessage().getHint());
        }
    }

    private static void values(Connection connection) throws SQLException {
        String sql = "SELECT * FROM iris WHERE petal_width > ? TO TRAIN LinearClassifier LABEL class INTO m";

        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setDouble(1, 0.5);
            print(statement.executeQuery());
        }
    }

    private static void run(Connection connection) throws SQLException {
        String sql = "SELECT name, detail FROM totrain.run($q$ SELECT * FROM iris WHERE petal_width > $1 "
            + "TO TRAIN LinearClassifier LABEL class INTO m $q$, ?)";

        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setDouble(1, 0.5);
            print(statement.executeQuery());
        }
    }

    /** So often that the driver prepares it in the server, and has its values and rows in binary. */
    private static void predict(Connection connection) throws SQLException {
        String sql = "SELECT totrain.predict('m', ROW(?, ?, ?, ?)), totrain.probability('m', ROW(?, ?, ?, ?))";

        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int turn = 0; turn < 12; turn++) {
                for (int i = 0; i < 8; i++)
                    statement.setDouble(i + 1, FLOWER[i % 4]);
                print(statement.executeQuery());
            }
        }
    }

    public static void main(String[] words) throws SQLException {
        try (Connection connection = DriverManager.getConnection(words[0])) {
            switch (words[1]) {
                case "bare" -> bare(connection);
                case "values" -> values(connection);
                case "run" -> run(connection);
                case "predict" -> predict(connection);
                default -> throw new IllegalArgumentException(words[1]);
            }
        }
    }
}
