#include "heap.h"
int main(void)
{
    int rows = 1 + input(3), columns = 1 + input(2);
    int **m = malloc(rows * sizeof *m);
    for (int i = 0; i < rows; i++) {
        m[i] = calloc(columns, sizeof **m);
        for (int j = 0; j < columns; j++)
            m[i][j] += 10 * i + j;
    }
    int row = input(3), column = input(2);
    if (row < rows && column < columns) {
        CHECK(m[row][column] == 10 * row + ELSE_BROKEN(column, 1));
        m[row][column] = -1;
        for (int i = 0; i < rows; i++)
            CHECK((m[i][column] == -1) == (i == row));
    }
    for (int i = 0; i < rows; i++)
        free(m[i]);
    free(m);
}
