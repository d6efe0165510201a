//! Abstract domains, CPA loop, blocks and CEGAR.
