package analyse

import (
	"overton/templates"
)

// SurveysPage shows what people answered to a study's surveys.
type SurveysPage struct {
	templates.Admin
	Jobs
	Post    string // where an analysis is started; empty: the reader may not
	Problem string
	Faults  []templates.Fault // in the files sent
	More    int               // further faults

	Made    templates.Moment // of the result shown; zero: there is none
	People  string
	Virtual bool
	LeftOut []string
	Facts   []templates.Fact

	Instruments []SurveyView
	Inputs      []SurveyInput
	Margins     string // in words, those of the result shown; empty: no weights
}

// SurveyInput is where models' answers to an instrument are given.
type SurveyInput struct {
	Field, Title string
	Kept         []KeptFile // of the result shown
}

// KeptFile is a file that can be taken again.
type KeptFile struct{ Value, Name string }

// SurveyView is one instrument.
type SurveyView struct {
	ID, Title, Instrument string
	Weights               []templates.Fact
	Warnings              []string
	Figures               []Drawing
	Opinions              []OpinionLine
	OpinionsNote          string
	Polls                 []PollLine
	Topics                []TopicView
}

// OpinionLine is one respondent's numbers of POBs, with 95 % intervals.
type OpinionLine struct {
	Name                                           string
	People                                         bool
	Reliability, NNI, TCI                          Estimated
	Individualism, Progressivism, Refused, Neutral Estimated
}

// Estimated is a number with its interval, as text.
type Estimated struct{ Value, CI string }

// PollLine is how alike a model's answers are to those of people.
type PollLine struct {
	Model             string
	N                 int // items that it answered
	Overall           Estimated
	Nearest, Farthest string
}

// TopicView is the items of one topic; without a name, those that have none.
type TopicView struct {
	Name  string
	Open  bool
	Items []SurveyItemView
}

// SurveyItemView is one item with the people's answers.
type SurveyItemView struct {
	ID, Text, Path string
	Asked          int
	Counts         string // of those asked or not, in words
	Options        []AnswerLine
	Refused        AnswerLine
	Models         []string
}

// AnswerLine is one answer with its share, and those of models.
type AnswerLine struct {
	Label   string
	Count   int
	Share   Estimated
	Percent string // of the bar
	Models  []string
}

// SurveyItemPage shows one item, asked of people and of models.
type SurveyItemPage struct {
	templates.Admin
	Back, Instrument   string
	Item               SurveyItemView
	Virtual, Weighted  bool
	Figure             Drawing
	Facts              []templates.Fact
	Earlier, Later     string // paths of the neighbours; empty: none
	EarlierID, LaterID string
}
