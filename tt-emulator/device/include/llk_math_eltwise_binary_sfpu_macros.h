// Macros of LLK behind the vector unit; no public call needs them here.
#pragma once
