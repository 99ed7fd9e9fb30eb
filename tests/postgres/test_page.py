"""The SQL of docs/postgres.md runs as it stands there, as a plain role."""

import pathlib
import re

import harness

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "postgres.md"


class Page(harness.Case):
    def test_every_block_of_sql(self):
        self.execute("CREATE ROLE reader LOGIN IN ROLE totrain_user; GRANT CREATE ON SCHEMA public TO reader")
        blocks = re.findall(r"^```sql\n(.*?)^```\n", PAGE.read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreater(len(blocks), 2)
        out = self.check_psql("".join(blocks), user="reader")
        accuracy = [float(line.split("|")[1]) for line in out.splitlines() if re.fullmatch(r"[0-9.e-]+\|[01](\.\d+)?", line)]
        self.assertGreater(accuracy[0], 0.9)
        self.assertIn("linear_model|1", out)

    def test_every_setting_and_function_is_on_the_page(self):
        text = PAGE.read_text(encoding="utf-8")
        names = self.execute("SELECT name FROM pg_settings WHERE name LIKE 'totrain.%'")
        names += self.execute("SELECT DISTINCT 'totrain.' || proname FROM pg_proc WHERE pronamespace = 'totrain'::regnamespace "
                              "AND has_function_privilege('totrain_user', oid, 'EXECUTE') "
                              "AND proname NOT IN ('job_table', 'forecast_add', 'forecast_end')")
        names += self.execute("SELECT 'totrain.' || relname FROM pg_class WHERE relnamespace = 'totrain'::regnamespace "
                              "AND relkind IN ('r', 'v')")
        self.assertGreater(len(names), 15)
        self.assertEqual([name for name, in names if name not in text], [])


if __name__ == "__main__":
    harness.main()
