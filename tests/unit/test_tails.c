/* The numbers are scipy's 1.17. */
#include "scoring/numbers/tails.h"

#include <math.h>

#include "tests/check.h"

static void check_near(double found, double wanted)
{
    if (!(fabs(found / wanted - 1) < 1e-9))
        check_failed("%.17g, where %.17g belongs", found, wanted);
}

static void tails_are_those_of_scipy(void **state)
{
    static const double student[][3] = {
        {0.5, 3, 0.65144796484815104},       {2.0, 10, 0.073388034770740365},
        {-4.5, 100, 1.8384611547615488e-05}, {1.96, 1000000.0, 0.049996067585269852},
        {12, 5, 7.0894925171615224e-05},     {3, 20000000.0, 0.0026997993871475828},
        {40, 50, 1.2412423784372691e-39},
    };
    static const double normal[][2] = {
        {0.1, 0.92034432544594202},   {1.96, 0.04999579029644087},   {-5, 5.7330314375838655e-07},
        {10, 1.5239706048320939e-23}, {37, 1.1451142445047853e-299},
    };
    static const double chi_square[][3] = {
        {0.3, 1, 0.58388242077036501},   {3.84, 1, 0.050043521248705189},
        {12.5, 4, 0.013995792487650894}, {300, 20, 8.0828496297758511e-52},
        {90, 100, 0.75319796559982977},  {1200, 300, 8.1414836560592415e-108},
    };
    static const double fisher[][4] = {
        {0.7, 2, 10, 0.51936866435981555},      {3.2, 5, 395, 0.007615163192421553},
        {25, 3, 1000, 1.335143191960577e-15},   {500, 8, 200, 9.1781530250386166e-128},
        {1.1, 1, 1000000.0, 0.294266357779087}, {2, 300, 5, 0.22381465187497709},
    };
    (void)state;

    for (size_t i = 0; i < sizeof student / sizeof *student; i++)
        check_near(student_tail(student[i][0], student[i][1]), student[i][2]);
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++) {
        check_near(normal_tail(normal[i][0]), normal[i][1]);
        check_near(student_tail(normal[i][0], INFINITY), normal[i][1]);
    }
    for (size_t i = 0; i < sizeof chi_square / sizeof *chi_square; i++)
        check_near(chi_square_tail(chi_square[i][0], chi_square[i][1]), chi_square[i][2]);
    for (size_t i = 0; i < sizeof fisher / sizeof *fisher; i++)
        check_near(fisher_tail(fisher[i][0], fisher[i][1], fisher[i][2]), fisher[i][3]);
}

static void bounds_are_those_of_scipy(void **state)
{
    (void)state;

    check_near(student_bound(.05, 3), 3.1824463052837086);
    check_near(student_bound(.05, 393), 1.9660186149090506);
    check_near(student_bound(.05, 1e6), 1.9599663568141072);
    check_near(student_bound(.01, 1), 63.656741162871583);
    check_near(student_bound(.05, INFINITY), 1.9599639845400545);
}

static void ends_are_0_and_1(void **state)
{
    (void)state;

    CHECK(student_tail(0, 5) == 1 && normal_tail(0) == 1);
    CHECK(chi_square_tail(0, 3) == 1 && fisher_tail(0, 2, 3) == 1);
    CHECK(student_tail(INFINITY, 5) == 0 && student_tail(1e200, 5) == 0);
    CHECK(normal_tail(60) == 0 && chi_square_tail(INFINITY, 3) == 0);
    CHECK(fisher_tail(INFINITY, 2, 3) == 0);
    CHECK(isnan(student_tail(NAN, 5)) && isnan(normal_tail(NAN)));
    CHECK(isnan(chi_square_tail(NAN, 3)) && isnan(fisher_tail(NAN, 2, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_scipy),
        cmocka_unit_test(bounds_are_those_of_scipy),
        cmocka_unit_test(ends_are_0_and_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
