""".import, .output and .tables PATTERN: files of rows become tables, and results files."""

import pathlib
import sqlite3

import harness

IRIS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "iris.csv"


class Import(harness.Case):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_commands(self, *commands, code=0):
        arguments = [argument for command in commands for argument in ("-c", command)]
        done = self.run_program(self.path, "--progress=none", "--format=csv", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def rows(self, sql):
        database = sqlite3.connect(self.path)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def refused(self, content, *texts, code=2):
        done = self.run_commands(f".import {self.file('wrong.csv', content)} t", code=code)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.rows("SELECT name FROM sqlite_master WHERE name = 't'"), [])

    def test_a_file_becomes_a_table_that_is_trained_from(self):
        done = self.run_commands(f".import {IRIS} iris",
                                 "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m;")
        self.assertTrue(done.stdout.startswith("table,rows\niris,150\n"), done.stdout)
        self.assertEqual(self.rows("SELECT sql FROM sqlite_master WHERE name = 'iris'"),
                         [('CREATE TABLE iris ("sepal_length" REAL, "sepal_width" REAL, "petal_length" REAL, '
                           '"petal_width" REAL, "class" INTEGER)',)])
        self.assertEqual(self.rows("SELECT count(*), typeof(petal_width), typeof(class) FROM iris GROUP BY 2, 3"),
                         [(150, "real", "integer")])

    def test_types_come_from_all_rows(self):
        lines = ["id,price,code,mixed,late,empty,big"] + [f"{i},{i}.5,0{i},{i},{i},,{i}" for i in range(1, 1500)]
        lines.append("1500,-1e3,7,n/a,2.5,,99999999999999999999")
        self.run_commands(f".import {self.file('t.csv', chr(10).join(lines))} t")
        self.assertEqual([row[1:3] for row in self.rows("PRAGMA table_info(t)")],
                         [("id", "INTEGER"), ("price", "REAL"), ("code", "TEXT"), ("mixed", "INTEGER"),
                          ("late", "REAL"), ("empty", "TEXT"), ("big", "REAL")])
        self.assertEqual(self.rows("SELECT code, mixed, late, empty, big FROM t WHERE id = 7"),
                         [("07", 7, 7.0, None, 7.0)])
        self.assertEqual(self.rows("SELECT price, mixed, big FROM t WHERE id = 1500"), [(-1000.0, "n/a", 1e20)])

    def test_bytes_in_hexadecimal(self):
        """The form is PostgreSQL's; a column with anything else keeps its texts."""
        lines = ["id,raw,mixed,odd", r"1,\x00ff10,\x00,\x0", r"2,,n/a,\x1", r"3,\xAB,\x01,\xzz", r"4,\x,,"]
        done = self.run_commands(f".import {self.file('t.csv', chr(10).join(lines))} t")
        self.assertEqual([row[1:3] for row in self.rows("PRAGMA table_info(t)")],
                         [("id", "INTEGER"), ("raw", "BLOB"), ("mixed", "TEXT"), ("odd", "TEXT")])
        self.assertEqual(self.rows("SELECT raw, mixed, odd FROM t"),
                         [(b"\x00\xff\x10", r"\x00", r"\x0"), (None, "n/a", r"\x1"), (b"\xab", r"\x01", r"\xzz"),
                          (b"", None, None)])
        self.assertIn(r'column "raw": texts such as \x89504e47 are stored as the bytes that they spell', done.stderr)

    def test_texts_that_look_like_bytes_stay_in_columns_of_texts(self):
        self.run_commands("CREATE TABLE t (id INTEGER, name VARCHAR(9), note TEXT, raw BLOB)")
        file = self.file("t.csv", "id,name,note,raw\n1,\\x41,\\x00ff,\\x42\n2,\\x43,,\\x44\n")
        done = self.run_commands(f".import {file} t")
        self.assertEqual(self.rows("SELECT name, note, raw FROM t"),
                         [(r"\x41", r"\x00ff", b"B"), (r"\x43", None, b"D")])
        self.assertNotIn('column "n', done.stderr)

    def test_a_prefix_of_bytes_alone_is_a_text(self):
        file = self.file("t.csv", "id,letter\n1,\\x\n2,\\x\n")
        done = self.run_commands(f".import {file} t")
        self.assertEqual(self.rows("SELECT letter FROM t"), [(r"\x",), (r"\x",)])
        self.assertNotIn("stored as the bytes", done.stderr)

    def test_numbers_and_dates_as_people_write_them(self):
        lines = ["amount;price;share;day;us;unclear;money;late"]
        lines += [f"{1000 + i}".replace("1", "1.", 1) + f",50;${i};{i % 7},5%;{i % 28 + 1:02}.03.2024;3/{i % 28 + 1}/2024 10:30 PM;1,{i:03};{'$€'[i % 2]}5;"
                  f"{i}" for i in range(100, 300)] + ["-79,19;($1,234.50);7%;;;1,234;$1;unknown"]
        done = self.run_commands(f".import {self.file('t.csv', chr(10).join(lines))} t")
        self.assertEqual([row[1:3] for row in self.rows("PRAGMA table_info(t)")],
                         [("amount", "REAL"), ("price", "REAL"), ("share", "REAL"), ("day", "TEXT"), ("us", "TEXT"),
                          ("unclear", "TEXT"), ("money", "TEXT"), ("late", "INTEGER")])
        self.assertEqual(self.rows("SELECT * FROM t WHERE rowid IN (1, 201)"),
                         [(1100.5, 100.0, 0.025, "2024-03-17", "2024-03-17 22:30:00", "1,100", "$5", 100),
                          (-79.19, -1234.5, 0.07, None, None, "1,234", "$1", "unknown")])
        self.run_commands("DROP TABLE t")
        command = ("-c", f".import {self.file('t.csv', chr(10).join(lines))} t")
        self.assertEqual(self.run_program(self.path, "--quiet", *command).stderr, "")
        self.assertIn('NOTICE:  column "amount": numbers with a decimal comma are stored as numbers\n', done.stderr)
        self.assertIn('NOTICE:  column "us": dates with the month first are stored in ISO\'s form', done.stderr)
        self.assertNotIn("unclear", done.stderr)

    def test_a_header_that_looks_like_a_row_is_told(self):
        for content, is_told in (("1,2\n3,4\n", True), ("31.03.2024,x\n01.04.2024,y\n", True), ("a,2024\nx,5\n", False), ("2024,7.5\n2025,8.5\n", True),
                                 ("a,b\n1,2\n", False), ("a,2024\nx,y\n", False)):
            self.run_commands("DROP TABLE IF EXISTS h")
            done = self.run_program(self.path, "-c", f".import {self.file('h.csv', content)} h")
            self.assertEqual("looks like a row: put a line of names before it" in done.stderr, is_told, content)

    def test_quotes_separators_and_marks(self):
        cases = {"a.csv": ("\ufeffx,\"y, z\"\r\n1,\"say \"\"hi\"\"\nthere\"\r\n\r\n2,\"\"\r\n3,", ","),
                 "b.tsv": ("x\ty, z\n1\tsay \"hi\"\nthere", None),
                 "c.txt": ("x;y, z\n", None), "d.csv": ("x;y\n1; two \n", ";")}
        self.run_commands(f".import {self.file('a.csv', cases['a.csv'][0])} a")
        self.assertEqual(self.rows("SELECT * FROM a"), [(1, 'say "hi"\nthere'), (2, ""), (3, None)])
        self.assertEqual([row[1] for row in self.rows("PRAGMA table_info(a)")], ["x", "y, z"])
        self.run_commands(f".import {self.file('d.csv', cases['d.csv'][0])} d")
        self.assertEqual(self.rows("SELECT x, y FROM d"), [(1, " two ")])
        self.run_commands(f".import {self.file('e.tsv', chr(9).join('xy') + chr(10) + '1' + chr(9) + 'a,b')} e")
        self.assertEqual(self.rows("SELECT x, y FROM e"), [(1, "a,b")])
        self.run_commands(f".import --tsv {self.file('f.txt', 'x,y' + chr(9) + 'z' + chr(10) + '1' + chr(9) + '2')} f")
        self.assertEqual(self.rows('SELECT "x,y", z FROM f'), [(1, 2)])

    def test_names_of_tables_and_files_may_be_odd(self):
        path = self.file("my rows.csv", ",b\n1,2\n")
        self.run_commands(f".import '{path}' \"odd name\"")
        self.assertEqual(self.rows('SELECT column1, b FROM "odd name"'), [(1, 2)])

    def test_rows_are_appended_by_the_names_of_their_columns(self):
        self.run_commands("CREATE TABLE t (b TEXT, a INTEGER, c DEFAULT 5)", f".import {self.file('none.csv', 'a,b')} t",
                          f".import {self.file('t.csv', 'a,b' + chr(10) + '1,x')} t")
        self.assertEqual(self.rows("SELECT * FROM t"), [("x", 1, 5)])
        done = self.run_commands(f".import {self.file('u.csv', 'a,nope' + chr(10) + '1,x')} t", code=2)
        self.assertIn("nope", done.stderr)
        self.assertEqual(len(self.rows("SELECT * FROM t")), 1)

    def test_a_failure_leaves_nothing(self):
        self.run_commands("CREATE TABLE u (a INTEGER CHECK (a < 3))")
        done = self.run_commands(f".import {self.file('u.csv', 'a' + chr(10) + '1' + chr(10) + '5')} u", code=2)
        self.assertIn("CHECK constraint failed", done.stderr)
        self.assertIn("line 3 of the file. No row was imported", done.stderr)
        self.assertEqual(self.rows("SELECT * FROM u"), [])

    def test_wrong_files_are_named_by_their_lines(self):
        self.refused('a,b\n1,2\n3\n', "line 3 has 1 cell, and the header 2")
        self.refused('a,b\n1,2,3\n', "line 2 has 3 cells, and the header 2")
        self.refused('a,b\n1,"x\n2,3\n', "the quoted cell that begins at line 2 has no end", "quote")
        self.refused('a,b\n1,"x"y\n', "line 2 has a quote that belongs to no quoted cell", "written twice")
        self.refused(b"a,b\n1,\xe9\n", "line 2 holds bytes that are no UTF-8", "iconv")
        self.refused(b"a,b\n\xeb\xbb,\xbf\n", "line 2 holds bytes that are no UTF-8", "iconv")
        self.refused(b"a,b\n1,x\x00y\n", "line 2 holds a zero byte")
        self.refused("", "the file is empty")
        self.refused("a,A\n1,2\n", 'more than one column "A"')
        self.refused("a,b\n1,\"" + "x" * 1100000 + "\"\n", "longer than 1048576 bytes")
        self.refused(",".join(f"c{i}" for i in range(2001)), "more than 2000 columns", code=5)
        done = self.run_commands(f".import {self.folder}/none.csv t", code=1)
        self.assertIn("none.csv", done.stderr)
        done = self.run_commands(".import only_one", code=2)
        self.assertIn(".import takes a file and a table", done.stderr)

    def test_a_transaction_of_the_users_can_be_rolled_back(self):
        self.run_commands("BEGIN", f".import {IRIS} iris", "ROLLBACK")
        self.assertEqual(self.rows("SELECT name FROM sqlite_master"), [])

    def test_results_go_into_a_file_and_back(self):
        path = self.folder / "out.csv"
        done = self.run_commands(f".output {path}", "SELECT 1 AS x", ".output", "SELECT 2 AS y")
        self.assertEqual(done.stdout, "y\n2\n")
        self.assertEqual(path.read_text(), "x\n1\n")
        done = self.run_commands(".output /nowhere/out", code=1)
        self.assertIn("/nowhere/out", done.stderr)
        done = self.run_commands(".output /dev/full", "SELECT 1 AS x", code=1)
        self.assertIn("No space left", done.stderr)

    def test_a_path_is_no_format(self):
        for command, code in ((".output /nowhere/%s%n", 1), (".import /nowhere/%s%n.csv t", 1)):
            self.assertRegex(self.run_commands(command, code=code).stderr, r"/nowhere/%s%n(\.csv)?: No such file")

    def test_tables_of_a_pattern(self):
        done = self.run_commands("CREATE TABLE iris_a(x)", "CREATE TABLE \"irises'\"(x)", "CREATE TABLE other(x)",
                                 ".tables iris%", ".tables irises'", ".tables none")
        self.assertEqual(done.stdout, "name,kind\niris_a,table\nirises',table\n"
                         "name,kind\nirises',table\nname,kind\n")


harness.main()
