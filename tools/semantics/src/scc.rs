//! Strongly connected components without native recursion (Tarjan).
//!
//! Invariant: components are numbered callees first: an edge leads to the same or a smaller number.

/// The component of every node of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    /// Component of each node.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: usize,
}

const UNSEEN: u32 = u32::MAX;

struct Frame {
    node: u32,
    next: usize,
}

/// Components of the graph with nodes `0..nodes` and the given successors. Time O(nodes + edges).
pub(crate) fn components<'a>(nodes: usize, successors: impl Fn(u32) -> &'a [u32]) -> Components {
    let mut result = Components { of: vec![UNSEEN; nodes], count: 0 };
    let mut order = vec![UNSEEN; nodes];
    let mut low = vec![0u32; nodes];
    let mut open: Vec<u32> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut next_order = 0u32;
    for root in 0..nodes {
        if order[root] != UNSEEN {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                let node = u32::try_from(node).unwrap_or(UNSEEN);
                open.push(node);
                frames.push(Frame { node, next: 0 });
            }
            let Some(frame) = frames.last_mut() else { break };
            let node = frame.node as usize;
            if let Some(&to) = successors(frame.node).get(frame.next) {
                frame.next += 1;
                let to = to as usize;
                if order[to] == UNSEEN {
                    entering = Some(to);
                } else if result.of[to] == UNSEEN {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                let parent = parent.node as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                close(node, &mut open, &mut result);
            }
        }
    }
    result
}

/// Gives all nodes opened since `root` the next component number.
fn close(root: usize, open: &mut Vec<u32>, result: &mut Components) {
    let number = u32::try_from(result.count).unwrap_or(UNSEEN);
    result.count += 1;
    while let Some(node) = open.pop() {
        result.of[node as usize] = number;
        if node as usize == root {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_callees_first() {
        let graph: Vec<Vec<u32>> = vec![vec![1], vec![2, 3], vec![1], vec![], vec![4, 0]];
        let found = components(graph.len(), |n| &graph[n as usize]);
        assert_eq!(found.of, vec![2, 1, 1, 0, 3]);
        assert_eq!(found.count, 4);
    }

    #[test]
    fn a_long_chain_needs_no_native_stack() {
        let graph: Vec<Vec<u32>> = (1..=200_000u32).map(|n| if n < 200_000 { vec![n] } else { vec![] }).collect();
        assert_eq!(components(graph.len(), |n| &graph[n as usize]).count, graph.len());
    }
}
