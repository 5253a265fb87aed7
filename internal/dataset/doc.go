// Package dataset is what readers and writers of every file format share:
// faults, plain text, tables, sheets and YAML. The formats themselves, and so
// all column names, stand in its rooms: survey, studyfile, votes and export,
// of which each may use those before it.
//
// Reading is strict: a file is accepted unchanged, or refused with a list of all its faults, each with file,
// line, column, value and what was expected. Nothing here or in the rooms touches the database; callers pass exports their
// rows.
package dataset
