//! A simulator of binary AIGER files, written from the format's description.

/// A file as it was read.
pub(super) struct Aiger {
    inputs: usize,
    latches: Vec<u32>,
    output: u32,
    /// Operands of each gate.
    gates: Vec<(u32, u32)>,
    /// The names of the inputs.
    pub(super) input_names: Vec<String>,
}

impl Aiger {
    pub(super) fn read(bytes: &[u8]) -> Aiger {
        let mut at = 0;
        let line = |at: &mut usize| {
            let end = *at + bytes[*at..].iter().position(|byte| *byte == b'\n').unwrap();
            let text = String::from_utf8(bytes[*at..end].to_vec()).unwrap();
            *at = end + 1;
            text
        };
        let header: Vec<String> = line(&mut at).split(' ').map(str::to_owned).collect();
        assert_eq!(header[0], "aig");
        let numbers: Vec<usize> = header[1..].iter().map(|word| word.parse().unwrap()).collect();
        let [most, inputs, latches, outputs, gates] = numbers[..] else { panic!("{header:?}") };
        assert_eq!((most, outputs), (inputs + latches + gates, 1));
        let latches: Vec<u32> = (0..latches).map(|_| line(&mut at).parse().unwrap()).collect();
        let output = line(&mut at).parse().unwrap();
        let number = |at: &mut usize| {
            let (mut value, mut shift) = (0u32, 0);
            loop {
                let byte = bytes[*at];
                *at += 1;
                value |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return value;
                }
            }
        };
        let mut found = Vec::new();
        for gate in 0..gates {
            let own = 2 * u32::try_from(inputs + latches.len() + gate + 1).unwrap();
            let high = own - number(&mut at);
            let low = high - number(&mut at);
            assert!(high < own && low <= high);
            found.push((high, low));
        }
        let mut names = Vec::new();
        while at < bytes.len() {
            let text = line(&mut at);
            let (key, name) = text.split_once(' ').unwrap();
            if key.starts_with('i') {
                names.push(name.to_owned());
            }
        }
        Aiger { inputs, latches, output, gates: found, input_names: names }
    }

    /// The first state.
    pub(super) fn start(&self) -> Vec<bool> {
        vec![false; self.latches.len()]
    }

    /// The output in a state with these inputs, and the next state.
    pub(super) fn step(&self, state: &[bool], inputs: &[bool]) -> (bool, Vec<bool>) {
        assert_eq!((state.len(), inputs.len()), (self.latches.len(), self.inputs));
        let mut values = vec![false];
        values.extend(inputs.iter().chain(state));
        for (a, b) in &self.gates {
            let both = value(&values, *a) && value(&values, *b);
            values.push(both);
        }
        (value(&values, self.output), self.latches.iter().map(|next| value(&values, *next)).collect())
    }
}

fn value(values: &[bool], lit: u32) -> bool {
    values[(lit >> 1) as usize] != (lit & 1 == 1)
}
