"""The data sets of the quality of defaults.

A line each: name, package, label, task, columns that are left out (keys, and what
says the label in other words), most rows (0: all). All of them come with packages
of PyPI. Rows without a label are left out; whatever else they hold stays.

CHOSEN_ON are those that defaults were chosen on. JUDGED_ON were put on this list
before anybody had trained on them, by name, size and columns alone, and are not
to be used to choose anything: who changes a default looks at CHOSEN_ON until the
default is fixed, and then at JUDGED_ON, once. TABLE is what docs/learning.md shows.
TUNED_LATER are those by which it was chosen when a network keeps its best epoch
(docs/decisions/0305-the-best-epoch.md); each holds rows out.
"""

CLASSES, NUMBER = "classification", "regression"

CHOSEN_AND_SHOWN = [
    ("iris", "pydataset", "Species", CLASSES, "", 0),
    ("Participation", "pydataset", "lfp", CLASSES, "", 0),
    ("Mroz", "pydataset", "work", CLASSES, "hoursw hearnw wagew", 0),
    ("birthwt", "pydataset", "low", CLASSES, "bwt", 0),
    ("airquality", "pydataset", "Ozone", NUMBER, "", 0),
    ("Cigarette", "pydataset", "packpc", NUMBER, "", 0),
    ("mpg", "pydataset", "hwy", NUMBER, "", 0),
    ("Caschool", "pydataset", "testscr", NUMBER, "distcod district readscr mathscr", 0),
    ("Wages", "pydataset", "lwage", NUMBER, "", 0),
    ("diamonds", "pydataset", "price", NUMBER, "", 10000),
]

CHOSEN_ON = CHOSEN_AND_SHOWN + [
    ("breast_cancer", "sklearn", "target", CLASSES, "", 0),
    ("wine", "sklearn", "target", CLASSES, "", 0),
    ("Hdma", "pydataset", "deny", CLASSES, "", 0),
    ("Chile", "pydataset", "vote", CLASSES, "", 0),
    ("crabs", "pydataset", "sp", CLASSES, "index", 0),
    ("fgl", "pydataset", "type", CLASSES, "", 0),
    ("VietNamI", "pydataset", "insurance", CLASSES, "", 0),
    ("Cowles", "pydataset", "volunteer", CLASSES, "", 0),
    ("Train", "pydataset", "choice", CLASSES, "id choiceid", 0),
    ("diabetes", "sklearn", "target", NUMBER, "", 0),
    ("friedman1", "made", "y", NUMBER, "", 0),
    ("Housing", "pydataset", "price", NUMBER, "", 0),
    ("Computers", "pydataset", "price", NUMBER, "", 0),
    ("Star", "pydataset", "tmathssk", NUMBER, "treadssk", 0),
    ("Males", "pydataset", "wage", NUMBER, "nr", 0),
    ("Boston", "pydataset", "medv", NUMBER, "", 0),
    ("Wages1", "pydataset", "wage", NUMBER, "", 0),
    ("Vocab", "pydataset", "vocabulary", NUMBER, "", 0),
]

JUDGED_ON = [
    ("Fishing", "pydataset", "mode", CLASSES, "price catch", 0),
    ("Catsup", "pydataset", "choice", CLASSES, "id", 0),
    ("HI", "pydataset", "whi", CLASSES, "", 0),
    ("biopsy", "pydataset", "class", CLASSES, "ID", 0),
    ("Pima.te", "pydataset", "type", CLASSES, "", 0),
    ("Treatment", "pydataset", "treat", CLASSES, "", 0),
    ("flchain", "pydataset", "death", CLASSES, "futime chapter", 0),
    ("Aids2", "pydataset", "status", CLASSES, "death", 0),
    ("turnout", "pydataset", "vote", CLASSES, "", 0),
    ("vote92", "pydataset", "vote", CLASSES, "", 0),
    ("Salaries", "pydataset", "salary", NUMBER, "", 0),
    ("quakes", "pydataset", "mag", NUMBER, "", 0),
    ("cpus", "pydataset", "perf", NUMBER, "name estperf", 0),
    ("dietox", "pydataset", "Weight", NUMBER, "", 0),
    ("NOxEmissions", "pydataset", "LNOx", NUMBER, "", 0),
    ("Workinghours", "pydataset", "hours", NUMBER, "", 0),
    ("Tobacco", "pydataset", "salcohol", NUMBER, "stobacco", 0),
    ("BudgetFood", "pydataset", "wfood", NUMBER, "", 0),
    ("nlschools", "pydataset", "lang", NUMBER, "", 0),
    ("Crime", "pydataset", "crmrte", NUMBER, "", 0),
]

TABLE = CHOSEN_AND_SHOWN + JUDGED_ON

TUNED_LATER = [
    ("titanic", "pydataset", "survived", CLASSES, "", 0),
    ("std", "pydataset", "rinfct", CLASSES, "obs time", 0),
    ("digits", "sklearn", "target", CLASSES, "", 0),
    ("Heating", "pydataset", "depvar", CLASSES, "idcase", 0),
    ("Kakadu", "pydataset", "answer", CLASSES, "lower upper", 0),
    ("Ketchup", "pydataset", "Ketchup.choice", CLASSES, "Ketchup.hid Ketchup.id", 0),
    ("Cracker", "pydataset", "choice", CLASSES, "id", 0),
    ("Yogurt", "pydataset", "choice", CLASSES, "id", 0),
    ("Tuna", "pydataset", "Tuna.choice", CLASSES, "Tuna.hid Tuna.id", 0),
    ("Benefits", "pydataset", "ui", CLASSES, "", 0),
    ("nwtco", "pydataset", "rel", CLASSES, "seqno edrel in.subcohort", 0),
    ("logan", "pydataset", "occupation", CLASSES, "", 0),
    ("colon", "pydataset", "status", CLASSES, "id time etype", 0),
    ("medpar", "pydataset", "died", CLASSES, "provnum los", 0),
    ("mid", "pydataset", "conflict", CLASSES, "", 0),
    ("voteincome", "pydataset", "vote", CLASSES, "", 0),
    ("VerbAgg", "pydataset", "r2", CLASSES, "resp", 0),
    ("bfi", "pydataset", "gender", CLASSES, "", 0),
    ("hastie", "made", "y", CLASSES, "", 0),
    ("moons", "made", "y", CLASSES, "", 0),
    ("hard", "made", "y", CLASSES, "", 0),
    ("pneumon", "pydataset", "hospital", CLASSES, "", 0),
    ("Car", "pydataset", "choice", CLASSES, "", 0),
    ("SLID", "pydataset", "wages", NUMBER, "", 0),
    ("OFP", "pydataset", "ofp", NUMBER, "", 0),
    ("MedExp", "pydataset", "med", NUMBER, "", 0),
    ("DoctorAUS", "pydataset", "doctorco", NUMBER, "", 0),
    ("RetSchool", "pydataset", "wage76", NUMBER, "", 0),
    ("Schooling", "pydataset", "lwage76", NUMBER, "wage76", 0),
    ("BudgetItaly", "pydataset", "wfood", NUMBER, "", 0),
    ("BudgetUK", "pydataset", "wfood", NUMBER, "", 0),
    ("Griliches", "pydataset", "lw80", NUMBER, "", 0),
    ("Cigar", "pydataset", "sales", NUMBER, "", 0),
    ("Produc", "pydataset", "gsp", NUMBER, "", 0),
    ("VietNamH", "pydataset", "lntotal", NUMBER, "", 0),
    ("LaborSupply", "pydataset", "lnhr", NUMBER, "id", 0),
    ("PSID", "pydataset", "earnings", NUMBER, "intnum", 0),
    ("movies", "pydataset", "rating", NUMBER, "title", 8000),
    ("GaltonFamilies", "pydataset", "childHeight", NUMBER, "family", 0),
    ("Forbes2000", "pydataset", "marketvalue", NUMBER, "rank name", 0),
    ("baseball", "pydataset", "r", NUMBER, "id", 8000),
    ("Bundesliga", "pydataset", "HomeGoals", NUMBER, "Date", 0),
    ("french_fries", "pydataset", "potato", NUMBER, "", 0),
    ("EmplUK", "pydataset", "output", NUMBER, "firm", 0),
    ("SumHes", "pydataset", "sr", NUMBER, "", 0),
    ("UnempDur", "pydataset", "spell", NUMBER, "censor1 censor2 censor3 censor4", 0),
    ("bioChemists", "pydataset", "art", NUMBER, "", 0),
    ("friedman2", "made", "y", NUMBER, "", 0),
    ("friedman3", "made", "y", NUMBER, "", 0),
    ("noise", "made", "y", NUMBER, "", 0),
    ("InstEval", "pydataset", "y", NUMBER, "", 20000),
]
