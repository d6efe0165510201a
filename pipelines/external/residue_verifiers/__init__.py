"""Tool-info modules for verifiers as package registries provide them; BenchExec's own describe competition archives."""
