"""A plugin for pytest under which Hypothesis stops at the first failure: a mutant needs no beautiful one."""

from hypothesis import Phase, settings

settings.register_profile("unshrunk", phases=(Phase.explicit, Phase.generate))
settings.load_profile("unshrunk")
