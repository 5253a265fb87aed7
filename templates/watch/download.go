package watch

import (
	"overton/internal/dataset/export"
)

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
	Formats           []export.Format
}

// DataFiles are all ways, in the order of the page.
var DataFiles = []DataFile{
	{"csv.zip", "CSV", "Each table twice: exact, and as a file ending in _spreadsheet.csv that spreadsheets can open safely.",
		[]export.Format{export.CSV}},
	{"jsonl.zip", "JSON Lines", "One object a line, for scripts.", []export.Format{export.JSONL}},
	{"parquet.zip", "Parquet", "Typed columns, for R, Python and databases.", []export.Format{export.Parquet}},
	{"overtonbench.zip", "OvertonBench layout", "The columns of the published benchmark, for people who finished.",
		[]export.Format{export.OvertonBench}},
	{"polis.zip", "Polis layout", "One folder for each question, for tools that read Polis exports.",
		[]export.Format{export.Polis}},
	{"everything.zip", "Everything", "All of the above.",
		[]export.Format{export.CSV, export.JSONL, export.Parquet, export.OvertonBench, export.Polis}},
}

// BundleFile is the name of the file that has all that is needed to compute a
// study's results again.
const BundleFile = "bundle.zip"
