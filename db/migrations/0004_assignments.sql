-- Assignments.

SELECT 1;
