//! Functions of the C library that wait until something happens: there is no other thread, so some of them never come back.
//!
//! Knows locks by their addresses, and whether one is held, and what waits without a limit of time. Does not know what other functions do
//! with a lock: of one that may have been taken by those nothing is said.

use std::collections::BTreeMap;

use super::fault::Fault;

/// What is known of locks that were used.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks {
    /// By address; others are free.
    used: BTreeMap<u128, Lock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    Held,
    /// Somebody has tried to take it.
    Unknown,
}

impl Locks {
    /// Calls a function with these arguments, if it has to do with waiting.
    pub(super) fn call(&mut self, name: &str, arguments: &[u128]) -> Result<(), Fault> {
        let address = arguments.first().copied();
        let is_without_end = |number: usize| arguments.get(number).is_none_or(|timeout| *timeout == 0);
        // A number of milliseconds.
        let is_negative = |number: usize| arguments.get(number).is_none_or(|timeout| *timeout >> 31 & 1 == 1);
        match name {
            "select" | "pselect" if is_without_end(4) => Err(waits(name)),
            "ppoll" if is_without_end(2) => Err(waits(name)),
            "poll" if is_negative(2) => Err(waits(name)),
            "epoll_wait" | "epoll_pwait" if is_negative(3) => Err(waits(name)),
            "pthread_mutex_lock" | "pthread_spin_lock" | "pthread_rwlock_wrlock" | "pthread_rwlock_rdlock" | "mtx_lock" => {
                match address.map(|address| self.used.insert(address, Lock::Held)) {
                    Some(None) => Ok(()),
                    // Whether a second time succeeds, is an error or waits for ever depends on the kind of the lock.
                    Some(Some(Lock::Held | Lock::Unknown)) | None => Err(waits(name)),
                }
            }
            "pthread_mutex_trylock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_clocklock"
            | "pthread_spin_trylock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_timedrdlock"
            | "mtx_trylock"
            | "mtx_timedlock" => {
                self.used.extend(address.map(|address| (address, Lock::Unknown)));
                Ok(())
            }
            "pthread_mutex_unlock"
            | "pthread_spin_unlock"
            | "pthread_rwlock_unlock"
            | "mtx_unlock"
            | "pthread_mutex_init"
            | "pthread_spin_init"
            | "pthread_rwlock_init"
            | "mtx_init" => {
                address.map(|address| self.used.remove(&address));
                Ok(())
            }
            "pthread_barrier_wait" | "pthread_cond_wait" | "cnd_wait" | "sem_wait" | "pthread_join" | "thrd_join" => {
                Err(waits(name))
            }
            _ => Ok(()),
        }
    }
}

fn waits(name: &str) -> Fault {
    Fault::Unsupported(format!("call of {name}, which may wait for ever").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_taken_once() {
        let mut locks = Locks::default();
        let mut call = |name: &str, address: u128| locks.call(name, &[address]);
        assert!(call("pthread_mutex_lock", 8).is_ok());
        assert!(call("pthread_mutex_lock", 16).is_ok());
        assert!(call("pthread_mutex_unlock", 8).is_ok());
        assert!(call("pthread_mutex_lock", 8).is_ok());
        assert!(call("pthread_mutex_lock", 16).is_err());
        assert!(call("mtx_trylock", 24).is_ok());
        assert!(call("mtx_lock", 24).is_err());
        assert!(call("sem_wait", 32).is_err());
        assert!(call("sem_post", 32).is_ok());
    }

    #[test]
    fn what_waits_without_a_limit_of_time_does_not_come_back() {
        let mut locks = Locks::default();
        assert!(locks.call("select", &[0, 0, 0, 0, 4096]).is_ok());
        assert!(locks.call("select", &[0, 0, 0, 0, 0]).is_err());
        assert!(locks.call("poll", &[0, 0, 10]).is_ok());
        assert!(locks.call("poll", &[0, 0, 0xffff_ffff]).is_err());
    }
}
