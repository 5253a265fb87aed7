// Package dataset is what readers and writers of every file format share:
// faults, plain text, tables, sheets and YAML. The formats themselves, and so
// all column names, stand in its rooms: survey, studyfile, votes and export,
// of which each may use those before it.
//
// Reading is strict and whole: a file is accepted as it stands or refused with
// all its faults, each with its file, line, column, value and what was
// expected. Nothing here or in the rooms touches the database; exports take
// rows from whoever has them.
package dataset
