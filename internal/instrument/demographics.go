package instrument

const usDemographics = "us-demographics"

// USDemographics asks the 12 attributes by which OpinionQA groups the people of the United States (Santurkar
// et al. 2023, Table 2). Codes are the labels of its released metadata, 60 in all, so that answers join with
// the published groups unchanged. Every item can be refused; answers beyond the 60 are offered as well and
// marked Outside.
func USDemographics() Instrument {
	return Instrument{Name: usDemographics, Title: "About you", Items: []Item{
		attribute("CREGION", "Which part of the United States do you currently live in?",
			"Northeast", "Midwest", "South", "West"),
		attribute("AGE", "How old are you?",
			"18-29", "30-49", "50-64", "65+"),
		attribute("SEX", "What is the sex that you were assigned at birth?",
			"Male", "Female"),
		attribute("EDUCATION", "What is the highest level of schooling or degree that you have completed?",
			"Less than high school", "High school graduate", "Some college, no degree", "Associate's degree",
			"College graduate/some postgrad", "Postgraduate"),
		attribute("CITIZEN", "Are you a citizen of the United States?",
			"Yes", "No"),
		attribute("MARITAL", "Which of these best describes you?",
			"Married", "Divorced", "Separated", "Widowed", "Never been married").beyond("Living with a partner"),
		attribute("RELIG", "What is your present religion, if any?",
			"Protestant", "Roman Catholic", "Mormon", "Orthodox", "Jewish", "Muslim", "Buddhist", "Hindu",
			"Atheist", "Agnostic", "Other", "Nothing in particular"),
		attribute("RELIGATTEND", "Aside from weddings and funerals, how often do you attend religious services?",
			"More than once a week", "Once a week", "Once or twice a month", "A few times a year", "Seldom", "Never"),
		attribute("POLPARTY", "In politics today, do you consider yourself a",
			"Republican", "Democrat", "Independent", "Other").relabel("Other", "Something else"),
		attribute("INCOME", "Last year, what was your total family income from all sources, before taxes?",
			"Less than $30,000", "$30,000-$50,000", "$50,000-$75,000", "$75,000-$100,000", "$100,000 or more"),
		attribute("POLIDEOLOGY", "In general, would you describe your political views as",
			"Very conservative", "Conservative", "Moderate", "Liberal", "Very liberal"),
		attribute("RACE", "What is your race or origin?",
			"White", "Black", "Asian", "Hispanic", "Other").beyond("Mixed"),
	}}
}

// attribute makes an item whose codes are its labels and which can be refused.
func attribute(id, text string, labels ...string) Item {
	it := Item{ID: id, Text: text}
	for _, label := range labels {
		it.Options = append(it.Options, Option{Code: label, Label: label})
	}
	it.Options = append(it.Options, Option{Code: "Prefer not to say", Label: "Prefer not to say", Refusal: true})
	return it
}

// beyond adds an option outside the published groups, before the refusal.
func (it Item) beyond(label string) Item {
	last := len(it.Options) - 1
	refusal := it.Options[last]
	it.Options = append(it.Options[:last], Option{Code: label, Label: label, Outside: true}, refusal)
	return it
}

func (it Item) relabel(code, label string) Item {
	for i, o := range it.Options {
		if o.Code == code {
			it.Options[i].Label = label
		}
	}
	return it
}
