// quick-xml's events, counted: end tags are compared with start tags, and nothing is decoded.
// usage: quick-xml FILE
use quick_xml::{events::Event, Reader};
use std::{env, fs::File, io::BufReader, process::exit};

fn main() {
    let path = env::args_os().nth(1).unwrap_or_else(|| exit(2));
    let file = File::open(path).unwrap_or_else(|_| exit(2));
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, file));
    let (mut buffer, mut count) = (Vec::new(), 0u64);
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(_) => count += 1,
            Err(error) => {
                eprintln!("{error}");
                exit(1)
            }
        }
        buffer.clear();
    }
    println!("{count}");
}
