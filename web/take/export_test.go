package take

var ReadArrival = readArrival
