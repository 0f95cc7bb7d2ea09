-- Codebook changes.

SELECT 1;
