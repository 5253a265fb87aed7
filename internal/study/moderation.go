package study

// RejectReason is why moderation keeps a statement from other people.
type RejectReason string

const (
	RejectPersonal  RejectReason = "personal"  // tells who somebody is
	RejectEmpty     RejectReason = "empty"     // says nothing
	RejectOffTopic  RejectReason = "off_topic" // does not answer the question
	RejectOffensive RejectReason = "offensive"
	RejectCopied    RejectReason = "copied" // not the person's own words
)

// RejectReasons are all, in the order in which they are offered: their keys are
// 1 to 5.
var RejectReasons = []RejectReason{RejectPersonal, RejectEmpty, RejectOffTopic, RejectOffensive, RejectCopied}
