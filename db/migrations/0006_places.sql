-- Places.

SELECT 1;
