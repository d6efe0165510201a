//! The processes below this one: what they have used, and their end.
//!
//! They are found by their parents in `/proc`, so that a compiler that a tool waits for counts while it runs, and nothing
//! that was started outlives a run.
//! Does not know what the processes do.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// The variable by which a driver tells a tool that it is a stage of it: the process id of the driver.
const PARENT: &str = "RESIDUE_PARENT";

/// A process below this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descendant {
    id: i32,
    /// CPU time of the process and of the children it waited for.
    pub(crate) cpu: Duration,
}

/// The environment variable that makes a tool end with the process that starts it, however that ends.
#[must_use]
pub fn ends_with_us() -> (&'static str, String) {
    (PARENT, std::process::id().to_string())
}

/// Ends this process with its parent if that is a driver that asked for it.
///
/// `false` if the driver is gone already. A tool that a shell starts goes on when the shell ends, as tools do.
pub(crate) fn follow_the_driver() -> bool {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|text| text.parse::<i32>().ok()) else { return true };
    let is_child = || rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get() == parent);
    if !is_child() {
        // Either the variable was passed on by a stage, whose children are no stages, or the driver is gone.
        return rustix::process::getppid().is_some_and(|pid| pid != Pid::INIT);
    }
    // Where that cannot be had, the driver still ends its stages itself as long as it can.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    is_child()
}

/// All processes below this one. Costs nothing where there is none, and a look at every process of the machine else.
pub(crate) fn descendants() -> Vec<Descendant> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::All, options).is_err() || !proc_is_ours() {
        return Vec::new();
    }
    let mut by_parent: BTreeMap<i32, Vec<Descendant>> = BTreeMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    for id in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
        if let Some((parent, cpu)) = parent_and_cpu(&format!("/proc/{id}/stat")) {
            by_parent.entry(parent).or_default().push(Descendant { id, cpu });
        }
    }
    let mut found: Vec<Descendant> = Vec::new();
    let mut todo = vec![i32::try_from(std::process::id()).unwrap_or_default()];
    while let Some(id) = todo.pop() {
        let children = by_parent.remove(&id).unwrap_or_default();
        todo.extend(children.iter().map(|child| child.id));
        found.extend(children);
    }
    found
}

/// Whether `/proc` counts processes as we do: in a container it may be that of the machine, where our numbers are those of others.
fn proc_is_ours() -> bool {
    let own = std::fs::read_link("/proc/self");
    own.is_ok_and(|own| own.to_str().is_some_and(|own| own == std::process::id().to_string()))
}

/// Ends all processes below this one at once.
pub(crate) fn kill_descendants() {
    // What a process starts while its parent is being ended is found by the next look.
    for _ in 0..3 {
        let found = descendants();
        if found.is_empty() {
            return;
        }
        for descendant in found {
            // One that has ended meanwhile needs no signal.
            let _ = Pid::from_raw(descendant.id).map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

/// The parent of a process, and its CPU time with that of the children it waited for: fields 4 and 14 to 17, the times in
/// clock ticks, counted from behind the name, which may contain anything.
fn parent_and_cpu(file: &str) -> Option<(i32, Duration)> {
    let stat = std::fs::read_to_string(file).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: u64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Some((fields.get(1)?.parse().ok()?, Duration::from_millis(ticks.saturating_mul(1000) / per_second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_their_children_are_found() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 77 & wait"]).spawn().unwrap();
        let own = i32::try_from(child.id()).unwrap();
        let is_there = |id: i32| descendants().iter().any(|found| found.id == id);
        assert!(is_there(own));
        let grandchild = loop {
            let stat = descendants()
                .into_iter()
                .map(|found| found.id)
                .find(|id| parent_and_cpu(&format!("/proc/{id}/stat")).is_some_and(|(parent, _)| parent == own));
            if let Some(id) = stat {
                break id;
            }
        };
        let _ = kill_process(Pid::from_raw(grandchild).unwrap(), Signal::KILL);
        child.wait().unwrap();
        assert!(!is_there(own) && !is_there(grandchild));
    }
}
