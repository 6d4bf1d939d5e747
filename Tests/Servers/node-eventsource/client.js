// client.js URL: prints the data of the events.
const EventSource = require("/usr/share/nodejs/eventsource")

const source = new EventSource(process.argv[2])
for (const type of ["data", "patch"]) source.addEventListener(type, event => console.log(event.data))
