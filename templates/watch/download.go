package watch

import "overton/internal/dataset"

// DownloadPage offers a study's data and its files.
type DownloadPage struct {
	Page
	Analysed        bool // ratings carry the groups of a run
	People, Virtual int  // complete submissions
}

// DataFile is one way to download a study's data: the name of the file, what the
// page calls it and says of it, and what is in it.
type DataFile struct {
	File, Name, Holds string
	Formats           []dataset.Format
}

// DataFiles are all ways, in the order of the page.
var DataFiles = []DataFile{
	{"csv.zip", "CSV", "Each table twice: exact, and as a file ending in _spreadsheet.csv that spreadsheets can open safely.",
		[]dataset.Format{dataset.CSV}},
	{"jsonl.zip", "JSON Lines", "One object a line, for scripts.", []dataset.Format{dataset.JSONL}},
	{"parquet.zip", "Parquet", "Typed columns, for R, Python and databases.", []dataset.Format{dataset.Parquet}},
	{"overtonbench.zip", "OvertonBench layout", "The columns of the published benchmark, for people who finished.",
		[]dataset.Format{dataset.OvertonBench}},
	{"polis.zip", "Polis layout", "One folder for each question, for tools that read Polis exports.",
		[]dataset.Format{dataset.Polis}},
	{"everything.zip", "Everything", "All of the above.",
		[]dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet, dataset.OvertonBench, dataset.Polis}},
}

// BundleFile is the name of the file that has all that is needed to compute a
// study's results again.
const BundleFile = "bundle.zip"
