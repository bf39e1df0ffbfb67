01 0.5 'doc|text a b:2 |title c:3
2| x
1 2 3 |
| :3
|n:2 a
no bar
